import type { MigrationInterface } from 'typeorm';

export type MigrationClass = new () => MigrationInterface & { readonly name: string };

/** A migration with what operators need to know about it. */
export interface Step {
  readonly migration: MigrationClass;
  /** Facts that a revert deletes or makes up, as the end of a sentence; null if it loses none. */
  readonly revertLoses: string | null;
  /**
   * The rows that a revert would lose, as SQL behind FROM: without any, it loses nothing. Without this, it always does. Each
   * table and column that the revert drops has an entry of its own, since an interrupted revert may have dropped some of them.
   */
  readonly lostRows?: readonly string[];
  /**
   * The oldest version that still runs on the tables after this migration, named by its newest migration. Without it, only
   * versions that have this migration run: a change that older versions tolerate must say so.
   */
  readonly compatibleFrom?: MigrationClass;
}

const registered: Step[] = [];

/** All migrations, oldest first, once the product has registered them. */
export const HISTORY: readonly Step[] = registered;

/** Registers the migrations of the product, oldest first. */
export function registerHistory(steps: readonly Step[]): void {
  registered.splice(0, registered.length, ...steps);
}

/** Returns the names of all migrations, oldest first. */
export function knownMigrations(): readonly string[] {
  return HISTORY.map(({ migration }) => migration.name);
}

/** Returns the schema level of a migration: the time in its name, which grows with each migration. */
export function levelOf(name: string): number {
  return Number(/\d{13}$/.exec(name)?.[0] ?? NaN);
}

/** Returns the newest level that this version knows. */
export function knownLevel(): number {
  return Math.max(...knownMigrations().map(levelOf));
}

/** Returns the level that is recorded with a migration: that of the oldest version that still runs after it. */
export function compatibleLevel({ migration, compatibleFrom = migration }: Step): number {
  return levelOf(compatibleFrom.name);
}
