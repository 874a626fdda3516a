import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { withoutUndefined } from '../../kernel/collections/without-undefined.js';
import { SqlMapper } from '../../platform/persistence/mapper/sql-mapper.js';
import { UnitOfWork } from '../../platform/persistence/unit-of-work.js';
import { smallestIdAt } from '../../kernel/random/random.js';
import { EVENT_COLUMNS, type EventRow } from './event-line.js';
import type { EventKind } from './security-event.js';

/** A period in milliseconds since 1970; `from` belongs to it, `to` does not. */
export interface EventPeriod {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** What an event must have to be found; without any condition, all are. */
export interface EventFilter extends EventPeriod {
  /** Subject of the account. */
  readonly user?: string | undefined;
  readonly kind?: EventKind | undefined;
  /** Id of the last event of the page before. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** The number of events of one kind and result. */
export interface EventCount {
  readonly kind: EventKind;
  readonly result: 'ok' | 'refused';
  readonly events: number;
}

/** Events of an export that are in memory at once, unless `default-fetch-size` says otherwise. */
const BATCH = 500;
const MAX_BATCH = 5000;
/** Limit of a page of events. */
export const MAX_EVENTS = 200;

/** Whether null columns are members depends on `mapper.configuration.call-setters-on-nulls`. */
const EMPTY = Object.fromEntries(EVENT_COLUMNS.map((column) => [column, null]));

/** Finds and counts the security events of all users, for administrators. */
@Injectable()
export class EventSearch {
  constructor(
    private readonly work: UnitOfWork,
    private readonly mapper: SqlMapper,
  ) {}

  /** Newest first. */
  async search({ user, kind, after, limit, ...period }: EventFilter): Promise<readonly EventRow[]> {
    const count = Math.min(Math.max(limit, 1), MAX_EVENTS);
    const parameters = withoutUndefined({ user, kind, after, limit: count, ...idsOf(period) });
    const rows = await this.work.single((tx) => this.mapper.select<EventRow>(tx, 'events.search', parameters));
    return rows.map((row) => ({ ...EMPTY, ...row }));
  }

  /**
   * All events of a filter in batches, newest first. The condition on the kind is applied here: a statement that looks for
   * a rare kind among all events would hold the embedded database for as long as it takes.
   */
  async *all({ user, kind, ...period }: Omit<EventFilter, 'after' | 'limit'>): AsyncGenerator<readonly EventRow[]> {
    const ids = idsOf(period);
    const batch = Math.min(this.mapper.fetchSize || BATCH, MAX_BATCH);
    for (let after: string | undefined; ;) {
      const parameters = withoutUndefined({ user, after, limit: batch, ...ids });
      const rows = await this.work.single((tx) => this.mapper.select<EventRow>(tx, 'events.search', parameters));
      const found = rows.filter((row) => kind === undefined || row.kind === kind);
      if (found.length > 0) yield found.map((row) => ({ ...EMPTY, ...row }));
      if (rows.length < batch) return;
      after = rows.at(-1)?.id;
      await nextTurn();
    }
  }

  /** Counts by kind and result. */
  report(period: EventPeriod): Promise<readonly EventCount[]> {
    return this.work.single((tx) => this.mapper.select<EventCount>(tx, 'events.report', idsOf(period)));
  }

  /** Counts by kind, result and reason; the keys of the mapper decide the members of the rows. */
  reasons(period: EventPeriod): Promise<readonly object[]> {
    return this.work.single((tx) => this.mapper.select<object>(tx, 'events.reasons', idsOf(period)));
  }
}

/** An id begins with the time of its event, so a period is a range of ids. */
function idsOf({ from, to }: EventPeriod): { readonly firstId?: string; readonly endId?: string } {
  return withoutUndefined({ firstId: firstIdAt(from), endId: firstIdAt(to) });
}

function firstIdAt(millis: number | undefined): string | undefined {
  return millis === undefined ? undefined : smallestIdAt(millis);
}
