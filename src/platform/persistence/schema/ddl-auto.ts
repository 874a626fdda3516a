import type { DataSource } from 'typeorm';
import { problem } from '../../../config/problem.js';
import type { Logger } from '../../../observability/logging/logger.js';
import type { DdlAutoMode } from '../jpa.properties.js';
import { exclusively } from '../migrations/exclusively.js';
import { HISTORY } from '../migrations/history.js';
import type { MigrationAccount } from '../migrations/migration-account.js';
import { MigrationState } from '../migrations/migration-state.js';
import { migrate } from '../migrations/migrations.js';
import { SchemaFailure } from '../migrations/schema-failure.js';
import { tableSuffix } from '../table-options.js';
import { type Difference, differencesOf } from './differences.js';
import { expectedSchema } from './expected-schema.js';
import { readSchema } from './read-schema.js';

const KEY = 'app.jpa.orm.ddl-auto';

/**
 * `app.jpa.orm.ddl-auto`, applied after the migrations of a startup. Only the tables of the service are read or changed.
 * Configuration rule 5 rejects every mode but `none` with profile `prod`.
 */
export class DdlAuto {
  constructor(
    private readonly mode: DdlAutoMode,
    private readonly log: Logger,
  ) {}

  /** @throws SchemaFailure if the tables do not fit this version afterwards */
  async apply(dataSource: DataSource, account: MigrationAccount): Promise<void> {
    switch (this.mode) {
      case 'none':
        return;
      case 'validate':
        this.rejectDifferences(await differencesIn(dataSource));
        return;
      case 'update':
        if ((await differencesIn(dataSource)).length === 0) return;
        await account.change(dataSource, (own) => this.addMissing(own));
        this.rejectDifferences(await differencesIn(dataSource));
        return;
      case 'create':
      case 'create-drop':
        await account.change(dataSource, (own) => this.create(own));
    }
  }

  /** Drops the tables if they live only as long as the process. */
  async tearDown(dataSource: DataSource, account: MigrationAccount): Promise<void> {
    if (this.mode === 'create-drop') await account.change(dataSource, (own) => this.drop(own));
  }

  private addMissing(dataSource: DataSource): Promise<void> {
    return exclusively(dataSource, {}, async () => {
      const additions = (await differencesIn(dataSource)).flatMap((each) => each.additions);
      for (const sql of additions) {
        await dataSource.query(sql);
        this.log.info('Added to the tables', { sql });
      }
    });
  }

  private async create(dataSource: DataSource): Promise<void> {
    await this.drop(dataSource);
    await migrate(dataSource);
  }

  private drop(dataSource: DataSource): Promise<void> {
    return exclusively(dataSource, {}, async () => {
      const { unknown } = await MigrationState.read(dataSource);
      if (unknown.length > 0) throw newerTablesFailure(unknown.map(({ name }) => name));
      const present = await readSchema(dataSource, new Set(expectedSchema().keys()));
      for (const name of present.keys()) await dataSource.query(`DROP TABLE ${name}`);
      for (const { migration } of HISTORY) {
        await dataSource.query('DELETE FROM migrations WHERE name = ?', [migration.name]);
      }
      this.log.warn('Dropped the tables of the service', { mode: this.mode });
    });
  }

  private rejectDifferences(differences: readonly Difference[]): void {
    if (differences.length === 0) return;
    const missing = 'The tables do not fit this version of the service';
    const action =
      `Restore the tables from a backup, or correct them by hand. ${KEY}=update adds what is missing, except columns ` +
      'that need a value; none starts without the check.';
    const { facts, ...rest } = problem(missing, action, { Property: KEY, Value: this.mode });
    throw new SchemaFailure({
      ...rest,
      facts: [...facts, ...differences.map(({ label, text }) => [label, text] as const)],
    });
  }
}

async function differencesIn(dataSource: DataSource): Promise<readonly Difference[]> {
  const expected = expectedSchema();
  const actual = await readSchema(dataSource, new Set(expected.keys()));
  return differencesOf(expected, actual, tableSuffix(dataSource));
}

function newerTablesFailure(names: readonly string[]): SchemaFailure {
  const action = 'Use the newer version, or drop the tables yourself.';
  const facts = { Property: KEY, Migrations: names.join(', ') };
  return new SchemaFailure(problem('Tables of a newer version are not dropped', action, facts));
}
