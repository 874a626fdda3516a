import { Injectable } from '@nestjs/common';
import { Accounts } from '../../identity/account/accounts.service.js';
import { Clock } from '../../kernel/clock/clock.js';
import { ServiceError } from '../../kernel/errors/service-error.js';
import { SecurityEvents } from '../../identity/events/security-events.service.js';
import { PersonalData, type PersonalRow } from '../../platform/persistence/personal-data.service.js';
import { personalTables } from '../../platform/persistence/personal-tables.js';
import { AdminActs } from './admin-acts.service.js';
import { type ExportAct, whilePermitted } from './export-act.js';
// All entities: a command loads no other part of the staff login or of applications, and exports their rows, too.
import '../schema/backup-tables.js';

/** Exports what is stored about one person, for requests by Article 15 or 20 of the GDPR. */
@Injectable()
export class PersonExport {
  constructor(
    private readonly accounts: Accounts,
    private readonly data: PersonalData,
    private readonly events: SecurityEvents,
    private readonly clock: Clock,
    private readonly acts: AdminActs,
  ) {}

  /**
   * Records the export, and then returns the parts of one JSON text: a list of rows for each table, without secrets. The
   * rows are read as the parts are consumed, so the number of events does not matter. The parts end with an error when the
   * permit of the act does.
   * @throws ServiceError `NOT_FOUND`; `ACCESS_DENIED`
   */
  async export(subject: string, act: ExportAct): Promise<AsyncIterable<string>> {
    return this.acts.perform({ name: 'exportUser' }, subject, act, async () => {
      if (!(await this.accounts.find(subject))) throw new ServiceError('NOT_FOUND', { reason: 'account' });
      await this.events.recordAlone({ kind: 'USER_EXPORTED', subject, actor: act.actor });
      return this.parts(subject, act);
    });
  }

  private async *parts(subject: string, act: ExportAct): AsyncGenerator<string> {
    yield `{"exported_at":${JSON.stringify(new Date(this.clock.millis()))},"subject":${JSON.stringify(subject)}`;
    for (const table of personalTables()) {
      yield `,\n${JSON.stringify(table.name)}:[`;
      let separator = '';
      for await (const rows of whilePermitted(this.data.batches(table, subject), act)) {
        yield separator + rows.map((row) => `\n${JSON.stringify(toExportedRow(row))}`).join(',');
        separator = ',';
      }
      yield ']';
    }
    yield '}\n';
  }
}

/** Columns that count seconds since 1970. */
const SECONDS = /_at$|^auth_time$/;

/** Instants as ISO 8601 in UTC, and the details of an event as an object. */
function toExportedRow(row: PersonalRow): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]): [string, unknown] => {
      if (column === 'detail' && typeof value === 'string') return [column, JSON.parse(value)];
      if (typeof value !== 'number') return [column, value];
      if (column === 'at') return [column, new Date(value)];
      // A time of 0 means that there was no attempt.
      return [column, SECONDS.test(column) ? (value === 0 ? null : new Date(value * 1000)) : value];
    }),
  );
}
