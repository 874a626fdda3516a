import type { DataSource } from 'typeorm';
import { type Clock, SystemClock } from '../../clock/clock.js';
import { problem } from '../../config/problem.js';
import { exclusively } from './exclusively.js';
import { compatibleLevel, HISTORY } from './history.js';
import { isKnown, MigrationState } from './migration-state.js';
import { resumable } from './resumable.js';
import { SchemaFailure } from './schema-failure.js';

/** The classes that TypeORM runs. */
export const MIGRATIONS = HISTORY.map(({ migration }) => resumable(migration));

/**
 * Brings the schema up to date; of processes that start at the same time, one migrates and the others wait.
 * @returns the names of the migrations that ran
 * @throws SchemaFailure if the tables are too new for this version
 */
export async function migrate(dataSource: DataSource, clock: Clock = new SystemClock()): Promise<readonly string[]> {
  const before = await MigrationState.read(dataSource);
  before.refuseIncompatible();
  if (!before.isBehind) return [];
  return exclusively(dataSource, async () => {
    // Another process may have migrated in the meantime.
    (await MigrationState.read(dataSource)).refuseIncompatible();
    const ran = (await dataSource.runMigrations({ transaction: 'none' })).map(({ name }) => name);
    await record(dataSource, ran, clock.seconds());
    return ran;
  });
}

/** Also completes the records of migrations that an older version, or an interrupted run, has applied. */
async function record(dataSource: DataSource, ran: readonly string[], now: number): Promise<void> {
  for (const step of HISTORY) {
    const { name } = step.migration;
    await dataSource.query(
      'UPDATE migrations SET applied_at = ?, compatible_from = ? WHERE name = ? AND compatible_from IS NULL',
      [ran.includes(name) ? now : null, compatibleLevel(step), name],
    );
  }
}

/**
 * Reverts the migration that was applied last.
 * @returns its name; undefined if none is applied
 * @throws SchemaFailure if this version does not know it, or if it would lose facts and `acceptsLoss` is false
 */
export async function revertLast(dataSource: DataSource, acceptsLoss: boolean): Promise<string | undefined> {
  return exclusively(dataSource, async () => {
    const last = (await MigrationState.read(dataSource)).applied.at(-1);
    if (last === undefined) return undefined;
    refuseRevert(last.name, acceptsLoss);
    await dataSource.undoLastMigration({ transaction: 'none' });
    return last.name;
  });
}

function refuseRevert(name: string, acceptsLoss: boolean): void {
  const [first] = HISTORY;
  const step = HISTORY.find(({ migration }) => migration.name === name);
  if (!isKnown(name) || step === undefined) {
    const action = 'Revert it with the version that applied it.';
    throw new SchemaFailure(problem(`This version does not know the migration ${name}`, action));
  }
  if (step === first) {
    const action = 'To remove the service, drop its tables yourself after a backup.';
    throw new SchemaFailure(problem(`The first migration ${name} is never reverted: it created all tables`, action));
  }
  if (step.revertLoses !== null && !acceptsLoss) {
    const what = `Reverting ${name} would lose ${step.revertLoses}`;
    throw new SchemaFailure(problem(what, 'Back up the database, then repeat the command with --force.'));
  }
}
