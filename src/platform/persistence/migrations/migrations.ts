import type { DataSource } from 'typeorm';
import { type Clock, SystemClock } from '../../../kernel/clock/clock.js';
import { problem } from '../../../config/problem.js';
import { isDropped } from '../engines/driver-failure.js';
import { type ExclusiveOptions, exclusively } from './exclusively.js';
import { compatibleLevel, HISTORY, type MigrationClass, type Step } from './history.js';
import { isKnown, MigrationState } from './migration-state.js';
import { resumable } from './resumable.js';
import { SchemaFailure } from './schema-failure.js';

/** Fails if a change of the tables would end other processes of the service. */
export type MigrationGuard = (dataSource: DataSource, migrations: readonly string[]) => Promise<void>;

/** The guard of a database that nothing else uses, and of a caller that may ignore other sessions. */
export const unguarded: MigrationGuard = () => Promise.resolve();

/** The classes that TypeORM runs. */
export function migrationClasses(): MigrationClass[] {
  return HISTORY.map(({ migration }) => resumable(migration));
}

export interface MigrateOptions extends Pick<ExclusiveOptions, 'during'> {
  readonly clock?: Clock;
  readonly guard?: MigrationGuard;
}

/**
 * Brings the schema up to date; of processes that start at the same time, one migrates and the others wait.
 * @returns the names of the migrations that ran
 * @throws SchemaFailure if the tables are too new for this version, or if `guard` finds other sessions and a process of an
 * older version would not work afterwards
 */
export async function migrate(
  dataSource: DataSource,
  { clock = new SystemClock(), guard = unguarded, ...waiting }: MigrateOptions = {},
): Promise<readonly string[]> {
  const before = await MigrationState.read(dataSource);
  before.requireCompatible();
  if (!before.isBehind) return [];
  const admit = async (): Promise<void> => {
    // Another process may have migrated in the meantime.
    const state = await MigrationState.read(dataSource);
    state.requireCompatible();
    const breaking = state.breaking.map(({ name }) => name);
    if (breaking.length > 0) await guard(dataSource, breaking);
  };
  return exclusively(dataSource, { admit, ...waiting }, async () => {
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
 * @throws SchemaFailure if this version does not know it, if it would lose facts and `acceptsLoss` is false, or if `guard`
 * finds other sessions: a version that has the migration does not work without it
 */
export async function revertLast(
  dataSource: DataSource,
  acceptsLoss: boolean,
  guard = unguarded,
): Promise<string | undefined> {
  const admitted = async (): Promise<string | undefined> => {
    const last = (await MigrationState.read(dataSource)).applied.at(-1)?.name;
    if (last === undefined) return undefined;
    const step = revertible(last);
    if (!acceptsLoss && (await losesFacts(dataSource, step))) throw loss(step);
    return last;
  };
  const admit = async (): Promise<void> => {
    const last = await admitted();
    if (last !== undefined) await guard(dataSource, [last]);
  };
  return exclusively(dataSource, { admit }, async () => {
    const last = await admitted();
    if (last === undefined) return undefined;
    await dataSource.undoLastMigration({ transaction: 'none' });
    return last;
  });
}

function revertible(name: string): Step {
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
  return step;
}

async function losesFacts(dataSource: DataSource, { revertLoses, lostRows }: Step): Promise<boolean> {
  if (revertLoses === null || lostRows === undefined) return revertLoses !== null;
  for (const rows of lostRows) if (await hasRows(dataSource, rows)) return true;
  return false;
}

/** False also if an interrupted revert has dropped the table or the column. */
async function hasRows(dataSource: DataSource, rows: string): Promise<boolean> {
  try {
    const found: readonly unknown[] = await dataSource.query(`SELECT 1 FROM ${rows} LIMIT 1`);
    return found.length > 0;
  } catch (error) {
    if (isDropped(error)) return false;
    throw error;
  }
}

function loss({ migration, revertLoses }: Step): SchemaFailure {
  const what = `Reverting ${migration.name} would lose ${revertLoses}`;
  return new SchemaFailure(problem(what, 'Back up the database, then repeat the command with --force.'));
}
