import { Injectable } from '@nestjs/common';
import { Clock } from '../clock/clock.js';
import type { Logger } from '../logging/logger.js';
import { Loggers } from '../logging/loggers.js';
import { BatchSize } from '../persistence/batch-size.js';
import { batchesOf } from '../persistence/batches.js';
import { UnitOfWork } from '../persistence/unit-of-work.js';
import { Random, timeOrderedId } from '../random/random.js';
import { ScheduledTasks } from '../tasks/scheduled-tasks.js';
import { ChainSeal } from './chain/chain-seal.service.js';
import type { ChainedBatch, ChainHead } from './chain/event-batch.js';
import { EventChainStore } from './chain/event-chain.store.js';
import { EventStore } from './event.store.js';
import { EventProperties } from './events.properties.js';

/** Rows of one turn; the next one continues. */
const MAX_ROWS = 10_000;
const INITIAL_DELAY_MILLIS = 10 * 60_000;
const INTERVAL_MILLIS = 60 * 60_000;
/** A turn that left expired events is followed soon, so that a first retention ends within hours, not days. */
const UNFINISHED_DELAY_MILLIS = 5000;
const LOWEST_RANDOM = new Uint8Array(10);

/**
 * Deletes security events after `app.security.events.retention`, in the background of every replica. Whole batches are
 * deleted, oldest first, and the head of the chain records the last one, so that the rest can still be verified: a batch
 * stays until all of its events have expired, and all batches before it. Nothing that decides a login reads events, so no
 * lock, limit or replay check depends on them.
 */
@Injectable()
export class EventRetention {
  private readonly logger: Logger;

  constructor(
    private readonly store: EventStore,
    private readonly chain: EventChainStore,
    private readonly seal: ChainSeal,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly properties: EventProperties,
    random: Random,
    tasks: ScheduledTasks,
    loggers: Loggers,
  ) {
    this.logger = loggers.get('events.retention');
    if (properties.retention === undefined) return;
    tasks.repeat(
      'EventRetention.sweep',
      {
        kind: 'fixedDelay',
        initialDelayMillis: INITIAL_DELAY_MILLIS,
        intervalMillis: INTERVAL_MILLIS,
        unfinishedDelayMillis: UNFINISHED_DELAY_MILLIS,
        jitter: random,
      },
      async (signal) => ((await this.sweep(signal)) >= MAX_ROWS ? 'unfinished' : undefined),
    );
  }

  /** Deletes the oldest expired batches up to a limit of events; returns the number of deleted events. */
  async sweep(signal?: AbortSignal): Promise<number> {
    const { retention } = this.properties;
    if (retention === undefined) return 0;
    const before = Math.max(0, Math.trunc(this.clock.millis() - retention.milliseconds));
    const end = timeOrderedId(before, LOWEST_RANDOM);
    const size = new BatchSize();
    let count = 0;
    while (count < MAX_ROWS && !signal?.aborted) {
      const deleted = await this.deleteExpired(end, size);
      if (deleted === undefined) break;
      count += deleted;
    }
    if (count > 0)
      this.logger.info('Security events beyond their retention are deleted', { count, end: instant(before) });
    return count;
  }

  /** Deletes the next expired batches in one transaction; undefined without any, 0 if another process changed the head first. */
  private async deleteExpired(end: string, size: BatchSize): Promise<number | undefined> {
    const head = await this.work.single((tx) => this.chain.head(tx));
    // A head that is not authentic must not be replaced by one that is; the relay reports it.
    if (!head || this.seal.stateOf(head) !== 'authentic') return undefined;
    const expired = await this.expired(head, end, size.rows);
    const last = expired.at(-1);
    if (!last) return undefined;
    const ids = await this.work.single((tx) => this.store.idsOfBatches(tx, head.deleted, last.batch));
    const next = this.seal.seal({ ...head, deleted: last.batch, deleted_hash: last.hash });
    const isDone = await this.work.run((tx) =>
      size.measured(async () => {
        if (!(await this.chain.replaceHead(tx, head, next))) return false;
        await this.chain.deleteBetween(tx, head.deleted, last.batch);
        for (const batch of batchesOf(ids, size.rows)) await this.store.delete(tx, size.padded(batch, size.rows));
        return true;
      }),
    );
    return isDone ? ids.length : 0;
  }

  /** The batches that follow the deleted ones, up to the first one with an event that has not expired, or a limit of events. */
  private async expired(head: ChainHead, end: string, limit: number): Promise<readonly ChainedBatch[]> {
    const batches = await this.work.single((tx) => this.chain.after(tx, head.deleted, limit));
    let events = 0;
    const kept = batches.findIndex((batch, index) => {
      events += batch.events;
      return batch.last_id >= end || (index > 0 && events > limit);
    });
    return kept === -1 ? batches : batches.slice(0, kept);
  }
}

function instant(millis: number): string {
  return new Date(millis).toISOString();
}
