import type { DataSource } from 'typeorm';
import { problem } from '../../../config/problem.js';
import type { DatabaseSettings } from '../database-address.js';
import { otherSessions } from '../other-sessions.js';
import type { MigrationGuard } from './migrations.js';
import { SchemaFailure } from './schema-failure.js';

/** Refuses while other sessions use the database; `others` are connections of this process that do not change the tables. */
export function refusesInUse(settings: DatabaseSettings, ...others: readonly DataSource[]): MigrationGuard {
  return async (dataSource, migrations) => {
    const sessions = await otherSessions(settings, [dataSource, ...others]);
    if (sessions.length === 0) return;
    const facts = { Migrations: migrations.join(', '), Sessions: sessions.join(', ') };
    const what = 'Other sessions use the database, and a process of the service would not work after this change';
    const action =
      'Stop all processes of the service, then try again. If the sessions are not of the service, or you accept that its ' +
      'processes fail, use the option --while-in-use of the command (docs/how-to/deploy/upgrade-and-migrate.md).';
    throw new SchemaFailure(problem(what, action, facts));
  };
}
