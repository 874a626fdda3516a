import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Random, timeOrderedId } from '../../kernel/random/random.js';
import type { Logger } from '../../observability/logging/logger.js';
import { Loggers } from '../../observability/logging/loggers.js';
import type { Slice } from '../../platform/persistence/slice.js';
import { type Tx, UnitOfWork } from '../../platform/persistence/unit-of-work.js';
import { amrText } from '../../kernel/principal/amr.js';
import { commandReason, commandTicket } from '../../kernel/principal/command-context.js';
import { requestContext, withRequestContext } from '../../kernel/principal/request-context.js';
import { rememberOrigin } from '../../observability/tracing/span.js';
import { EventGroups } from './event-groups.js';
import { type EventRow, logEvent } from './event-line.js';
import { EventStore } from './event.store.js';
import type { EventKind, SecurityEvent } from './security-event.js';

const MAX_AGENT_LENGTH = 255;

/** Called in the process that recorded the event, after the commit and in the order of the transaction. */
export type EventListener = (event: SecurityEvent) => void;

/** Records events in the transaction of the change they report, then logs them and calls listeners after the commit. */
@Injectable()
export class SecurityEvents {
  private readonly logger: Logger;
  private readonly listeners = new Map<EventKind, EventListener[]>();
  private readonly groups: EventGroups;
  private last = { at: 0, number: 0 };

  constructor(
    private readonly store: EventStore,
    private readonly clock: Clock,
    private readonly random: Random,
    loggers: Loggers,
    work: UnitOfWork,
  ) {
    this.logger = loggers.get('events');
    // A context of its own: the limits of a request for the database are not those of the other requests of a group.
    this.groups = new EventGroups((rows) =>
      withRequestContext({ requestId: rows[0]?.request_id ?? '', ip: rows[0]?.ip ?? '' }, () =>
        work.single((tx) => store.insert(tx, rows)),
      ),
    );
  }

  /** Several events at once are one statement. */
  async record(tx: Tx, ...events: readonly SecurityEvent[]): Promise<void> {
    const rows = events.map((event) => this.rowOf(event));
    await this.store.insert(tx, rows);
    tx.afterCommit(() => {
      this.tell(rows, events);
    });
  }

  /** Records events that belong to no other change, outside of a unit of work. Concurrent calls share one statement. */
  async recordAlone(...events: readonly SecurityEvent[]): Promise<void> {
    const rows = events.map((event) => this.rowOf(event));
    await this.groups.store(rows);
    this.tell(rows, events);
  }

  /**
   * Calls `listener` for each event of this kind once its transaction is committed, and never for one that is rolled back.
   * Best effort: an event is lost to its listeners if the process dies between the commit and the call. For what must not be
   * lost, such as a notice by mail, use `EventRelay.subscribe`.
   */
  onCommitted(kind: EventKind, listener: EventListener): void {
    this.listeners.set(kind, [...(this.listeners.get(kind) ?? []), listener]);
  }

  ofUser(tx: Tx, subject: string, page: Slice): Promise<readonly EventRow[]> {
    return this.store.ofUser(tx, subject, page);
  }

  /** The kinds of the oldest events of an account, of those in `kinds`, oldest first. */
  oldestKinds(tx: Tx, subject: string, kinds: readonly EventKind[], limit: number): Promise<readonly string[]> {
    return this.store.oldestKinds(tx, subject, kinds, limit);
  }

  private tell(rows: readonly EventRow[], events: readonly SecurityEvent[]): void {
    for (const row of rows) {
      logEvent(this.logger, row);
      rememberOrigin(row.id);
    }
    for (const event of events) this.notify(event);
  }

  /** The change is kept, so a defect of a listener must not fail the caller. */
  private notify(event: SecurityEvent): void {
    for (const listener of this.listeners.get(event.kind) ?? []) {
      try {
        listener(event);
      } catch (error) {
        this.logger.error('A listener of a security event failed', { error, kind: event.kind });
      }
    }
  }

  private rowOf(event: SecurityEvent): EventRow {
    const at = this.clock.millis();
    const facts = requestContext();
    return {
      id: this.nextId(at),
      at,
      kind: event.kind,
      user_id: event.subject ?? null,
      actor: event.actor ?? null,
      ip: facts?.ip ?? null,
      agent: facts?.agent?.slice(0, MAX_AGENT_LENGTH) ?? null,
      request_id: facts?.requestId ?? null,
      idp: event.idp ?? null,
      authn_context: event.authnContext ?? null,
      amr: event.amr ? amrText(event.amr) : null,
      result: event.result ?? 'ok',
      reason: event.reason ?? null,
      detail: detailOf(event),
    };
  }

  /** Events of one process sort as they were recorded, those of one millisecond too (RFC 9562 section 6.2, method 1). */
  private nextId(at: number): string {
    this.last = { at, number: this.last.at === at ? this.last.number + 1 : 0 };
    const random = this.random.bytes(10);
    random.writeUInt16BE(this.last.number);
    return timeOrderedId(at, random);
  }
}

/** With the reason and the ticket that an operator, an administrator or the help desk stated. */
function detailOf({ detail }: SecurityEvent): string | null {
  const [reason, ticket] = [commandReason(), commandTicket()];
  const all = {
    ...detail,
    ...(reason !== undefined && { stated_reason: reason }),
    ...(ticket !== undefined && { ticket }),
  };
  return Object.keys(all).length > 0 ? JSON.stringify(all) : null;
}
