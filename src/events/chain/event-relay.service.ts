import { Injectable } from '@nestjs/common';
import { Clock } from '../../clock/clock.js';
import type { Logger } from '../../logging/logger.js';
import { Loggers } from '../../logging/loggers.js';
import type { Counter } from '../../metrics/meter.js';
import { Meters } from '../../metrics/meters.js';
import { BatchSize } from '../../persistence/batch-size.js';
import { type Tx, UnitOfWork } from '../../persistence/unit-of-work.js';
import type { EventRow } from '../event-line.js';
import { EventStore } from '../event.store.js';
import type { EventKind } from '../security-event.js';
import { SecurityEvents } from '../security-events.service.js';
import { ChainSeal } from './chain-seal.service.js';
import {
  BatchContent,
  type BatchedEvent,
  type ChainHead,
  chainHash,
  type EventBatch,
  type SealedHead,
  UNBATCHED,
} from './event-batch.js';
import { EventChainStore } from './event-chain.store.js';

/** Stores the work that an event causes, in the transaction that marks the event as relayed. */
export type EventEnqueue = (tx: Tx, event: EventRow) => Promise<void>;

/**
 * What a turn did: `relayed` a batch, or `filled` one up to its limit, so that more events may wait; `none` without events;
 * `lost` if another process was first.
 */
export type RelayTurn = 'relayed' | 'filled' | 'none' | 'lost';

/** The end of the chain that the next batch continues. */
interface ChainEnd {
  readonly read: SealedHead | undefined;
  readonly head: ChainHead;
  readonly restart?: 'head_missing' | 'head_changed' | 'seal_key_unknown';
}

const START: ChainHead = { batch: 0, hash: '', deleted: 0, deleted_hash: '' };
const RESTARTS = { changed: 'head_changed', 'unknown key': 'seal_key_unknown' } as const;
/** Two replicas with different seal keys would restart the chain of each other without end. */
const MIN_RESTART_MILLIS = 10 * 60_000;

/**
 * Relays committed events: the table of events is the outbox. Each batch is a link of the hash chain. What a subscriber
 * stores through `tx` is committed together with the batch, so each event has its effect exactly once, also if a process is
 * killed. Of several replicas, the one that replaces the head of the chain relays the batch.
 */
@Injectable()
export class EventRelay {
  private readonly logger: Logger;
  private readonly restarts: Counter;
  private readonly subscribers = new Map<string, EventEnqueue[]>();
  private readonly size = new BatchSize();
  private restartedAt = -Infinity;

  constructor(
    private readonly work: UnitOfWork,
    private readonly store: EventStore,
    private readonly chain: EventChainStore,
    private readonly seal: ChainSeal,
    private readonly events: SecurityEvents,
    private readonly clock: Clock,
    loggers: Loggers,
    meters: Meters,
  ) {
    this.restarts = meters.counter('events.chain.restarts', { description: 'Restarts of the chain of events' }).of();
    this.logger = loggers.get('events.chain');
  }

  /**
   * Calls `enqueue` once for each event of these kinds, within seconds after its commit, in the process of any replica of the
   * service; commands relay nothing. The transaction may be repeated, so `enqueue` must have no effects outside `tx`, and
   * what it throws delays the relay of all events. Subscribe in the constructor of a provider, in every replica. Events of
   * before the first start of a version with a relay, of replicas of an older version, and those that a restore adds are not
   * relayed to subscribers.
   */
  subscribe(kinds: readonly EventKind[], enqueue: EventEnqueue): void {
    for (const kind of kinds) this.subscribers.set(kind, [...(this.subscribers.get(kind) ?? []), enqueue]);
  }

  /** The number of the last batch of all replicas; 0 without any. */
  async lastBatch(): Promise<number> {
    return (await this.work.single((tx) => this.chain.head(tx)))?.batch ?? 0;
  }

  /** Relays one batch of events. The events are read before the transaction, which is therefore short. */
  async relay(): Promise<RelayTurn> {
    // Before the events: if the head has not changed, no other process has relayed them since.
    const end = await this.work.single((tx) => this.end(tx));
    const { rows: limit } = this.size;
    const rows = await this.work.single((tx) => this.store.unbatched(tx, limit));
    if (rows.length === 0) return 'none';
    if (end.restart && !this.mayRestart()) return 'lost';
    const isDone = await this.work.run((tx) => this.size.measured(() => this.commit(tx, end, rows)));
    if (!isDone) return 'lost';
    return rows.length === limit ? 'filled' : 'relayed';
  }

  private async end(tx: Tx): Promise<ChainEnd> {
    const read = await this.chain.head(tx);
    const state = read && this.seal.stateOf(read);
    if (read && state === 'authentic') return { read, head: read };
    const last = Math.max(await this.chain.last(tx), await this.store.lastBatch(tx), 0);
    if (!read && last === 0) return { read, head: START };
    const restart = state === undefined || state === 'authentic' ? 'head_missing' : RESTARTS[state];
    const deleted = Math.min(read?.deleted ?? 0, last);
    return { read, head: { batch: last, hash: '', deleted, deleted_hash: read?.deleted_hash ?? '' }, restart };
  }

  private mayRestart(): boolean {
    if (this.clock.millis() - this.restartedAt < MIN_RESTART_MILLIS) return false;
    this.restartedAt = this.clock.millis();
    return true;
  }

  private async commit(tx: Tx, end: ChainEnd, rows: readonly BatchedEvent[]): Promise<boolean> {
    const batch = this.batchOf(end.head, rows);
    const hash = chainHash(end.head.hash, batch);
    const head = this.seal.seal({ ...end.head, batch: batch.batch, hash });
    if (!(await this.chain.replaceHead(tx, end.read, head))) return false;
    if (!(await this.chain.add(tx, { ...batch, hash }))) return false;
    const count = await this.store.putIntoBatch(tx, batch.batch, paddedIds(rows));
    if (count !== rows.length) throw new Error(`${rows.length - count} events disappeared before they were relayed`);
    for (const row of rows) if (row.batch === UNBATCHED.new) await this.tell(tx, row);
    if (end.restart) await this.reportRestart(tx, batch, end.restart);
    return true;
  }

  private batchOf({ batch, hash }: ChainHead, rows: readonly BatchedEvent[]): EventBatch {
    const content = new BatchContent();
    const ordered = rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    for (const row of ordered) content.add(row);
    return {
      batch: batch + 1,
      begins: hash === '' ? 1 : 0,
      first_id: ordered[0]?.id ?? '',
      last_id: ordered.at(-1)?.id ?? '',
      events: rows.length,
      at: this.clock.millis(),
      content: content.digest(),
    };
  }

  private async tell(tx: Tx, event: EventRow): Promise<void> {
    for (const enqueue of this.subscribers.get(event.kind) ?? []) await enqueue(tx, event);
  }

  private async reportRestart(tx: Tx, { batch }: EventBatch, reason: string): Promise<void> {
    await this.events.record(tx, {
      kind: 'EVENT_CHAIN_RESTARTED',
      result: 'refused',
      reason,
      detail: { batch: String(batch) },
    });
    tx.afterCommit(() => {
      this.restarts.increment();
      this.logger.error('The head of the event chain is not authentic; the chain begins again', { batch, reason });
    });
  }
}

/** Repeats the last id up to a power of two: each number of values is another statement that connections keep prepared. */
function paddedIds(rows: readonly BatchedEvent[]): readonly string[] {
  const ids = rows.map(({ id }) => id);
  return [...ids, ...Array<string>(2 ** Math.ceil(Math.log2(ids.length)) - ids.length).fill(ids.at(-1) ?? '')];
}
