import { Injectable } from '@nestjs/common';
import { withoutUndefined } from '../../kernel/collections/without-undefined.js';
import { type ExportFormat, exportLines } from '../../identity/events/event-export.js';
import { type EventFilter, EventSearch } from '../../identity/events/event-search.service.js';
import { SecurityEvents } from '../../identity/events/security-events.service.js';
import { AdminActs } from './admin-acts.service.js';
import { type ExportAct, whilePermitted } from './export-act.js';

/** Condition of exported events; empty for all events. */
export type ExportedEvents = Omit<EventFilter, 'after' | 'limit'>;

/** Exports security events of all users. */
@Injectable()
export class EventExports {
  constructor(
    private readonly search: EventSearch,
    private readonly events: SecurityEvents,
    private readonly acts: AdminActs,
  ) {}

  /**
   * Records the export, and then returns the parts of its text, newest event first. Events are read as the parts are
   * consumed, so memory does not grow with their number. The parts end with an error when the permit of the act does.
   * @throws ServiceError `ACCESS_DENIED`; `NOT_FOUND` for a user that is no subject
   */
  async export(filter: ExportedEvents, format: ExportFormat, act: ExportAct): Promise<AsyncIterable<string>> {
    const { user, kind, from, to } = filter;
    const detail = withoutUndefined({ format, kind, from: instant(from), to: instant(to) });
    const subject = withoutUndefined({ subject: user });
    await this.acts.perform({ name: 'exportEvents' }, user, act, () =>
      this.events.recordAlone({ kind: 'EVENTS_EXPORTED', actor: act.actor, detail, ...subject }),
    );
    return exportLines(whilePermitted(this.search.all(filter), act), format);
  }
}

function instant(millis: number | undefined): string | undefined {
  return millis === undefined ? undefined : new Date(millis).toISOString();
}
