import { Injectable } from '@nestjs/common';
import type { Tx } from '../persistence/unit-of-work.js';
import type { EventRow } from './event-line.js';
import type { EventKind } from './security-event.js';

/** Stores the work that an event causes, in the transaction that marks the event as relayed. */
export type EventEnqueue = (tx: Tx, event: EventRow) => Promise<void>;

/**
 * Relays committed events to durable subscribers: the table of events is the outbox. What a subscriber stores through `tx` is
 * committed together with the mark of the event, so each event has its effect exactly once, also if a process is killed.
 */
@Injectable()
export class EventRelay {
  private readonly subscribers = new Map<string, EventEnqueue[]>();

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
}
