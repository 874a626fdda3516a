import { type DataSource, QueryFailedError } from 'typeorm';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { problem } from '../../../config/problem.js';
import { openDatabase } from '../database.js';
import type { DatabaseSettings } from '../database-address.js';
import { otherSessions } from '../other-sessions.js';
import type { MigrationAccountProperties } from '../datasource.properties.js';
import { DatabaseUnavailable } from '../engines/database-unavailable.js';
import { classifyFailure, driverCode } from '../engines/driver-failure.js';
import type { MigrationGuard } from './migrations.js';
import { SchemaFailure } from './schema-failure.js';

type Account = Readonly<Pick<MigrationAccountProperties, 'username' | 'password'>>;

/** The account that changes the tables of a database. */
export class MigrationAccount {
  /** True if it differs from the account of the running service; the embedded database has no accounts. */
  readonly isSeparate: boolean;
  private readonly settings: DatabaseSettings;

  constructor(
    private readonly service: DatabaseSettings,
    { username, password }: Account,
  ) {
    this.isSeparate = username !== undefined && !service.url.startsWith('jdbc:sqlite:');
    const account = withoutUndefined({ username, password });
    this.settings = this.isSeparate ? { url: service.url, tls: service.tls, ...account } : service;
  }

  /** Returns a guard that fails while other sessions use the database; `others` are connections of this process. */
  guardAgainstUse(...others: readonly DataSource[]): MigrationGuard {
    return async (dataSource, migrations) => {
      const sessions = await otherSessions(this.service, [dataSource, ...others]);
      if (sessions.length === 0) return;
      const facts = { Migrations: migrations.join(', '), Sessions: sessions.join(', ') };
      const what = 'Other sessions use the database, and a process of the service would not work after this change';
      const action =
        'Stop all processes of the service, then try again. If the sessions are not of the service, or you accept that its ' +
        'processes fail, use the option --while-in-use of the command (docs/how-to/deploy/upgrade-and-migrate.md).';
      throw new SchemaFailure(problem(what, action, facts));
    };
  }

  /** Connects without changing anything; the caller closes the connection. */
  async open(): Promise<DataSource> {
    try {
      return await openDatabase(this.settings, {}, () => Promise.resolve());
    } catch (error) {
      if (!this.isSeparate || !(error instanceof DatabaseUnavailable)) throw error;
      const facts = { Property: 'app.datasource.migration.username', Reason: error.message };
      const action = 'Correct app.datasource.migration.username and app.datasource.migration.password.';
      throw new SchemaFailure(problem('The migration account cannot open the database', action, facts), {
        cause: error,
      });
    }
  }

  /**
   * Runs a change of the tables with this account; `dataSource` is that of the service. On a server, the change has a pool of
   * its own: it needs a connection for its lock and another one for its statements, and the service may have one only.
   */
  async change<T>(dataSource: DataSource, run: (dataSource: DataSource) => Promise<T>): Promise<T> {
    if (dataSource.options.type === 'better-sqlite3') return this.explained(() => run(dataSource));
    const own = await this.open();
    try {
      return await this.explained(() => run(own));
    } finally {
      await own.destroy();
    }
  }

  /** Explains a rejection by the server and a statement that failed; rethrows an unavailable database and other errors. */
  async explained<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      const code = driverCode(error);
      if (!DENIED.has(code)) throw failedStatement(error) ?? error;
      const property = `app.datasource.${this.isSeparate ? 'migration.' : ''}username`;
      const action =
        'Grant it CREATE, ALTER, DROP and INDEX on the database, or set app.datasource.migration.username to an ' +
        'account that has them (docs/reference/databases.md).';
      const facts = { Property: property, Reason: code };
      throw new SchemaFailure(problem('The database account may not change tables', action, facts), { cause: error });
    }
  }
}

/** Describes a failed statement without the message of the driver, which may quote data. */
function failedStatement(error: unknown): SchemaFailure | undefined {
  if (!(error instanceof QueryFailedError)) return undefined;
  const failure = classifyFailure(error);
  if (failure === 'unreachable' || failure === 'moved') return undefined;
  const facts = { Statement: error.query.replaceAll(/\s+/g, ' '), Reason: driverCode(error) };
  const action = 'Correct the tables or their rows by hand, then try again.';
  return new SchemaFailure(problem('A statement that changes tables failed', action, facts), { cause: error });
}

const DENIED = new Set(['ER_TABLEACCESS_DENIED_ERROR', 'ER_DBACCESS_DENIED_ERROR', 'ER_SPECIFIC_ACCESS_DENIED_ERROR']);
