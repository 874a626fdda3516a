import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/clock.js';
import { BatchSize } from '../../../platform/persistence/batch-size.js';
import { type Tx, UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import type { EventRow } from '../event-line.js';
import type { EventKind } from '../security-event.js';
import { ChainRestarts } from './chain-restarts.service.js';
import { UNBATCHED } from '../event-line.js';
import type { BatchedEvent } from './event-batch.js';
import { type ChainEnd, EventChain } from './event-chain.service.js';

/** Stores the work that an event causes, in the transaction that marks the event as relayed. */
export type EventEnqueue = (tx: Tx, event: EventRow) => Promise<void>;

/**
 * What a turn did: `relayed` a batch, or `filled` one up to its limit, so that more events may wait; `none` without events;
 * `lost` if another process was first.
 */
export type RelayTurn = 'relayed' | 'filled' | 'none' | 'lost';

/**
 * Relays committed events: the table of events is the outbox. Each batch is a link of the hash chain. What a subscriber
 * stores through `tx` is committed together with the batch, so each event has its effect exactly once, also if a process is
 * killed. Of several replicas, the one that replaces the head of the chain relays the batch.
 */
@Injectable()
export class EventRelay {
  private readonly subscribers = new Map<string, EventEnqueue[]>();
  private readonly size = new BatchSize();
  private hasUrgent = false;

  constructor(
    private readonly work: UnitOfWork,
    private readonly chain: EventChain,
    private readonly restarts: ChainRestarts,
    private readonly clock: Clock,
  ) {}

  /**
   * Calls `enqueue` once for each event of these kinds, within seconds after its commit, in the process of any replica of the
   * service; commands relay nothing. The transaction may be repeated, so `enqueue` must have no effects outside `tx`, and
   * what it throws delays the relay of all events. Subscribe in the constructor of a provider, in every replica. Events of
   * before the first start of a version with a relay, of replicas of an older version, and those that a restore adds are not
   * relayed to subscribers.
   */
  subscribe(kinds: readonly EventKind[], enqueue: EventEnqueue, { isUrgent = false } = {}): void {
    this.hasUrgent ||= isUrgent;
    for (const kind of kinds) this.subscribers.set(kind, [...(this.subscribers.get(kind) ?? []), enqueue]);
  }

  /** True if a subscriber needs the events of commands within a second. */
  get isUrgent(): boolean {
    return this.hasUrgent;
  }

  /** The number of the last batch of all replicas; 0 without any. */
  lastBatch(): Promise<number> {
    return this.work.single((tx) => this.chain.lastBatch(tx));
  }

  /** Relays one batch of events. The events are read before the transaction, which is therefore short. */
  async relay(): Promise<RelayTurn> {
    const { rows: limit } = this.size;
    // The end before the events: if the head has not changed, no other process has relayed them since.
    const [end, events] = await this.work.single((tx) =>
      Promise.all([this.chain.end(tx), this.chain.pending(tx, limit)]),
    );
    if (events.length === 0) return 'none';
    if (end.restart && !this.restarts.isAllowed) return 'lost';
    const isDone = await this.work.run((tx) => this.size.measured(() => this.commit(tx, end, events)));
    if (!isDone) return 'lost';
    return events.length === limit ? 'filled' : 'relayed';
  }

  private async commit(tx: Tx, end: ChainEnd, events: readonly BatchedEvent[]): Promise<boolean> {
    const batch = await this.chain.append(tx, end, events, this.clock.millis());
    if (!batch) return false;
    for (const event of events) if (event.batch === UNBATCHED.new) await this.tell(tx, event);
    if (end.restart) await this.restarts.record(tx, batch, end.restart);
    return true;
  }

  private async tell(tx: Tx, event: EventRow): Promise<void> {
    for (const enqueue of this.subscribers.get(event.kind) ?? []) await enqueue(tx, event);
  }
}
