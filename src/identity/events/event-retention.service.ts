import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import type { Logger } from '../../observability/logging/logger.js';
import { Loggers } from '../../observability/logging/loggers.js';
import { BatchSize } from '../../platform/persistence/batch-size.js';
import { UnitOfWork } from '../../platform/persistence/unit-of-work.js';
import { smallestIdAt } from '../../kernel/random/random.js';
import { ConfirmedLinks } from './chain/confirmed-links.js';
import type { ChainedBatch, ChainHead, SealedHead } from './chain/event-batch.js';
import { EventChain } from './chain/event-chain.service.js';
import { EventProperties } from './events.properties.js';

/** Rows of one sweep; the next one continues. */
export const MAX_ROWS = 10_000;

/**
 * Deletes security events after `app.security.events.retention`. Whole batches are deleted, oldest first, and the head of
 * the chain records the last one, so that the rest can still be verified: a batch stays until all of its events have
 * expired, and all batches before it. Nothing that decides a login reads events, so no lock, limit or replay check depends
 * on them.
 */
@Injectable()
export class EventRetention {
  private readonly logger: Logger;
  private readonly links: ConfirmedLinks;

  constructor(
    private readonly chain: EventChain,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly properties: EventProperties,
    loggers: Loggers,
  ) {
    this.logger = loggers.get('events.retention');
    this.links = new ConfirmedLinks((after, limit) => work.single((tx) => chain.after(tx, after, limit)));
  }

  /** Deletes the oldest expired batches up to a limit of events; returns the number of deleted events. */
  async sweep(signal?: AbortSignal): Promise<number> {
    const { retention } = this.properties;
    if (retention === undefined) return 0;
    const before = Math.max(0, Math.trunc(this.clock.millis() - retention.milliseconds));
    const end = smallestIdAt(before);
    const size = new BatchSize();
    let count = 0;
    while (count < MAX_ROWS && !signal?.aborted) {
      const deleted = await this.deleteExpired(end, size, signal);
      if (deleted === undefined) break;
      count += deleted;
    }
    if (count > 0)
      this.logger.info('Security events beyond their retention are deleted', { count, end: instant(before) });
    return count;
  }

  /** Deletes the next expired batches in one transaction; undefined without any, 0 if another process changed the head first. */
  private async deleteExpired(
    end: string,
    size: BatchSize,
    signal: AbortSignal | undefined,
  ): Promise<number | undefined> {
    const head = await this.work.single((tx) => this.chain.authenticHead(tx));
    if (!head) return undefined;
    const expired = await this.expired(head, end, size.rows);
    const last = expired.at(-1);
    if (!last) return undefined;
    // Otherwise a changed `last_id` would let it delete events that have not expired, and the head would confirm that.
    if (!(await this.links.confirm(head, expired, signal))) return this.rejected(head, signal);
    const ids = await this.work.single((tx) => this.chain.eventsUpTo(tx, head, last));
    const isDone = await this.work.run((tx) => size.measured(() => this.chain.removeUpTo(tx, head, last, ids, size)));
    return isDone ? ids.length : 0;
  }

  /** Another replica may have deleted batches while this one followed their links. */
  private async rejected(head: SealedHead, signal: AbortSignal | undefined): Promise<number | undefined> {
    if (signal?.aborted) return undefined;
    const now = await this.work.single((tx) => this.chain.authenticHead(tx));
    if (now && now.deleted !== head.deleted) return 0;
    this.logger.error('Expired security events are kept, because the batches do not lead to the head of their chain', {
      batch: head.deleted + 1,
    });
    return undefined;
  }

  /** The batches that follow the deleted ones, up to the first one with an event that has not expired, or a limit of events. */
  private async expired(head: ChainHead, end: string, limit: number): Promise<readonly ChainedBatch[]> {
    const batches = await this.work.single((tx) => this.chain.after(tx, head.deleted, limit));
    let events = 0;
    const firstKept = batches.findIndex((batch, index) => {
      events += batch.events;
      return batch.last_id >= end || (index > 0 && events > limit);
    });
    return firstKept === -1 ? batches : batches.slice(0, firstKept);
  }
}

function instant(millis: number): string {
  return new Date(millis).toISOString();
}
