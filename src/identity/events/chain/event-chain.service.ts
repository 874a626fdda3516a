import { Injectable } from '@nestjs/common';
import { batchesOf, type BatchSize } from '../../../platform/persistence/batch-size.js';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';
import { EventStore } from '../event.store.js';
import { ChainSeal } from './chain-seal.service.js';
import {
  BatchContent,
  type BatchedEvent,
  type ChainedBatch,
  type ChainHead,
  chainHash,
  type EventBatch,
  type SealedHead,
} from './event-batch.js';
import { EventChainStore } from './event-chain.store.js';

/** Why the chain begins again. */
export type RestartReason = 'head_missing' | 'head_changed' | 'seal_key_unknown';

/** The end of the chain that the next batch continues. */
export interface ChainEnd {
  readonly read: SealedHead | undefined;
  readonly head: ChainHead;
  readonly restart?: RestartReason;
}

const START: ChainHead = { batch: 0, hash: '', deleted: 0, deleted_hash: '' };

/** The hash chain of events: it grows by batches at its end, and the retention removes batches at its beginning. */
@Injectable()
export class EventChain {
  constructor(
    private readonly batches: EventChainStore,
    private readonly events: EventStore,
    private readonly seal: ChainSeal,
  ) {}

  /** The number of the last batch; 0 without any. */
  async lastBatch(tx: Tx): Promise<number> {
    return (await this.batches.head(tx))?.batch ?? 0;
  }

  /** Events that no batch contains, new ones first. */
  pending(tx: Tx, limit: number): Promise<readonly BatchedEvent[]> {
    return this.events.unbatched(tx, limit);
  }

  /** Batches after one number, in ascending order. */
  after(tx: Tx, batch: number, limit: number): Promise<readonly ChainedBatch[]> {
    return this.batches.after(tx, batch, limit);
  }

  /** The head, unless it is missing or not authentic: then only the next batch may replace it, which reports it. */
  async authenticHead(tx: Tx): Promise<SealedHead | undefined> {
    const head = await this.batches.head(tx);
    return head && this.seal.stateOf(head) === 'authentic' ? head : undefined;
  }

  /**
   * A head is replaced by its successor only if it is authentic and the last one; otherwise the chain begins again. What the
   * caller reads at once after the call is read after the head.
   */
  async end(tx: Tx): Promise<ChainEnd> {
    // The last batch before the head, which another process may move meanwhile: an old head that was put back has batches
    // after it.
    const [last, read] = await Promise.all([this.batches.last(tx), this.batches.head(tx)]);
    const restart = await this.restartReason(tx, read, last);
    if (!restart) return { read, head: read ?? START };
    return { read, head: await this.headAfterRestart(tx, last), restart };
  }

  /**
   * Adds a batch of these events, which were read after `end`. Returns undefined if another process was first: it has
   * relayed them. @throws Error if the tables were changed by another program meanwhile
   */
  async append(tx: Tx, end: ChainEnd, events: readonly BatchedEvent[], at: number): Promise<EventBatch | undefined> {
    const batch = batchOf(end.head, events, at);
    const hash = chainHash(end.head.hash, batch);
    const head = this.seal.seal({ ...end.head, batch: batch.batch, hash });
    if (!(await this.batches.replaceHead(tx, end.read, head))) return undefined;
    if (!(await this.batches.add(tx, { ...batch, hash }))) throw new Error(`batch ${batch.batch} exists already`);
    const count = await this.events.putIntoBatch(tx, batch.batch, paddedIds(events));
    if (count !== events.length) {
      throw new Error(`${events.length - count} events disappeared before they were relayed`);
    }
    return batch;
  }

  /** Ids of the events of the batches after the deleted ones, up to and with one. */
  eventsUpTo(tx: Tx, { deleted }: ChainHead, last: ChainedBatch): Promise<readonly string[]> {
    return this.events.idsOfBatches(tx, deleted, last.batch);
  }

  /** Removes the batches up to and with one, and their events. Returns false if another process was first. */
  async removeUpTo(
    tx: Tx,
    head: SealedHead,
    last: ChainedBatch,
    ids: readonly string[],
    size: BatchSize,
  ): Promise<boolean> {
    const next = this.seal.seal({ ...head, deleted: last.batch, deleted_hash: last.hash });
    if (!(await this.batches.replaceHead(tx, head, next))) return false;
    await this.batches.deleteBetween(tx, head.deleted, last.batch);
    for (const part of batchesOf(ids, size.rows)) await this.events.delete(tx, size.padded(part, size.rows));
    return true;
  }

  private async restartReason(tx: Tx, head: SealedHead | undefined, last: number): Promise<RestartReason | undefined> {
    if (!head) return last > 0 || (await this.events.lastBatch(tx)) > 0 ? 'head_missing' : undefined;
    const state = this.seal.stateOf(head);
    if (state === 'unknown key') return 'seal_key_unknown';
    return state === 'changed' || last > head.batch ? 'head_changed' : undefined;
  }

  /** The batches that exist decide: a head that is not authentic can also name a wrong last deleted batch. */
  private async headAfterRestart(tx: Tx, last: number): Promise<ChainHead> {
    const batch = Math.max(last, await this.events.lastBatch(tx), 0);
    const first = (await this.batches.first(tx)) ?? batch + 1;
    return { batch, hash: '', deleted: Math.min(first - 1, batch), deleted_hash: '' };
  }
}

function batchOf({ batch, hash }: ChainHead, events: readonly BatchedEvent[], at: number): EventBatch {
  const content = new BatchContent();
  const ordered = events.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  for (const event of ordered) content.add(event);
  return {
    batch: batch + 1,
    begins: hash === '' ? 1 : 0,
    first_id: ordered[0]?.id ?? '',
    last_id: ordered.at(-1)?.id ?? '',
    events: events.length,
    at,
    content: content.digest(),
  };
}

/** Repeats the last id up to a power of two: each number of values is another statement that connections keep prepared. */
function paddedIds(events: readonly BatchedEvent[]): readonly string[] {
  const ids = events.map(({ id }) => id);
  return [...ids, ...Array<string>(2 ** Math.ceil(Math.log2(ids.length)) - ids.length).fill(ids.at(-1) ?? '')];
}
