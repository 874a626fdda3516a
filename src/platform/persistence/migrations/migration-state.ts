import type { DataSource, QueryRunner } from 'typeorm';
import { problem } from '../../../config/problem.js';
import { compatibleLevel, HISTORY, knownLevel, levelOf, type Step } from './history.js';
import { SchemaFailure } from './schema-failure.js';

/** A row of the table `migrations`. */
export interface AppliedMigration {
  readonly name: string;
  /** Seconds since 1970; undefined if it was applied before times were recorded. */
  readonly appliedAt: number | undefined;
  /** The oldest schema level whose versions run after it; undefined if nothing was recorded. */
  readonly compatibleFrom: number | undefined;
}

/** A migration that has not run yet. */
export interface PendingMigration {
  readonly name: string;
  /**
   * The versions that may run on the tables now and no longer after it: `none`, `all`, or those without the migration of that
   * name; undefined if the database is empty.
   */
  readonly ends: 'none' | 'all' | { readonly without: string } | undefined;
}

interface Row {
  readonly name: string;
  readonly applied_at?: number | null;
  readonly compatible_from?: number | null;
}

/** The migrations of a database, compared with those of this version. */
export class MigrationState {
  /** Reads the state; needs neither a lock nor the right to change tables. */
  static async read(dataSource: DataSource): Promise<MigrationState> {
    const runner = dataSource.createQueryRunner();
    try {
      return await MigrationState.readBy(runner);
    } finally {
      await runner.release();
    }
  }

  /** Reads the state on a connection of the caller, such as that of a snapshot. */
  static async readBy(runner: QueryRunner): Promise<MigrationState> {
    if (HISTORY.length === 0) throw new TypeError('no migration is registered');
    const hasTable = await runner.hasTable('migrations');
    // All columns, since older versions have created the table without some of them.
    const rows = hasTable ? ((await runner.query('SELECT * FROM migrations ORDER BY id')) as readonly Row[]) : [];
    return new MigrationState(rows.map(applied));
  }

  /** `applied` is in the order in which the migrations were applied. */
  constructor(readonly applied: readonly AppliedMigration[]) {}

  /** Names of the migrations that have not run yet, oldest first. */
  get pending(): readonly string[] {
    return this.pendingMigrations.map(({ name }) => name);
  }

  /** The migrations that have not run yet, oldest first, and what they mean for running versions. */
  get pendingMigrations(): readonly PendingMigration[] {
    const names = new Set(this.applied.map(({ name }) => name));
    return HISTORY.filter(({ migration }) => !names.has(migration.name)).map((step) => ({
      name: step.migration.name,
      ends: this.endsBy(step),
    }));
  }

  /** Pending migrations after which a version that may be running now must not run. */
  get breaking(): readonly PendingMigration[] {
    return this.pendingMigrations.filter(({ ends }) => ends !== undefined && ends !== 'none');
  }

  /** Migrations of newer versions. */
  get unknown(): readonly AppliedMigration[] {
    return this.applied.filter(({ name }) => !isKnown(name));
  }

  /** Migrations of newer versions on whose tables this version must not run. */
  get incompatible(): readonly AppliedMigration[] {
    return this.unknown.filter((each) => !isCompatible(each));
  }

  /** True if a run would change something: the tables, or what is recorded about known migrations. */
  get isBehind(): boolean {
    return (
      this.pending.length > 0 || this.applied.some((each) => isKnown(each.name) && each.compatibleFrom === undefined)
    );
  }

  /** Running versions are at most as new as the tables, and at least as new as the tables permit. */
  private endsBy(step: Step): PendingMigration['ends'] {
    if (this.applied.length === 0) return undefined;
    const needed = compatibleLevel(step);
    const oldest = Math.max(...this.applied.map(({ name, compatibleFrom }) => compatibleFrom ?? declaredLevel(name)));
    if (needed <= oldest) return 'none';
    const newest = Math.max(...this.applied.map(({ name }) => levelOf(name)));
    return needed > newest ? 'all' : { without: (step.compatibleFrom ?? step.migration).name };
  }

  /** @throws SchemaFailure if the tables are newer than this version and not declared compatible with it */
  requireCompatible(): void {
    const { incompatible } = this;
    if (incompatible.length === 0) return;
    const action =
      'Start the version that applied these migrations, or a newer one. To return to this version, revert them first ' +
      'with the newer version and its command "migrate down".';
    throw new SchemaFailure(
      problem('The tables are newer than this version of the service', action, {
        Migrations: incompatible.map(({ name }) => name).join(', '),
        'Level known': String(knownLevel()),
        'Level needed': incompatible.map(({ compatibleFrom }) => compatibleFrom ?? 'not recorded').join(', '),
      }),
    );
  }
}

/** True if the record of the migration says that this version runs after it: a version cannot know newer migrations. */
export function isCompatible({ compatibleFrom }: AppliedMigration): boolean {
  return compatibleFrom !== undefined && compatibleFrom <= knownLevel();
}

export function isKnown(name: string): boolean {
  return HISTORY.some(({ migration }) => migration.name === name);
}

/** Returns the level of an applied migration that an older version has recorded without one. */
function declaredLevel(name: string): number {
  const step = HISTORY.find(({ migration }) => migration.name === name);
  return step === undefined ? levelOf(name) : compatibleLevel(step);
}

function applied({ name, applied_at: at, compatible_from: from }: Row): AppliedMigration {
  return { name, appliedAt: at ?? undefined, compatibleFrom: from ?? undefined };
}
