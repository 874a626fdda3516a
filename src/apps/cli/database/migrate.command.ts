import type { Command } from 'commander';
import {
  type AppliedMigration,
  isCompatible,
  isKnown,
  type MigrationState,
  type PendingMigration,
} from '../../../platform/persistence/migrations/migration-state.js';
import { type CommandParts, commandRunner } from '../command-run.js';
import { withCreateOption } from '../command-target.js';
import type { ExitCode } from '../exit-code.js';

/** The database, opened with the migration account for one command. */
export interface MigrateServices {
  readonly state: () => Promise<MigrationState>;
  /**
   * Runs pending migrations and returns their names; `acceptsUse` also runs those that running versions do not survive.
   */
  readonly up: (acceptsUse: boolean) => Promise<readonly string[]>;
  /** Reverts the last migration and returns its name; undefined if none is applied. */
  readonly down: (accepted: {
    readonly acceptsLoss: boolean;
    readonly acceptsUse: boolean;
  }) => Promise<string | undefined>;
  readonly close: () => Promise<void>;
}

const WHILE_IN_USE = '--while-in-use';

interface Choices {
  readonly whileInUse?: boolean;
}

/** `migrate status`, `up` and `down`; each sets the exit code by `exit`. */
export function addMigrateCommand(
  program: Command,
  parts: CommandParts<MigrateServices>,
  exit: (code: ExitCode) => void,
): void {
  const migrate = program.command('migrate').description('change the tables to those of this version, and back');
  const run = commandRunner(parts, exit);

  migrate
    .command('status')
    .description(
      'lists the migrations: applied with their times, pending with what they mean for running versions, and unknown ones ' +
        'of newer versions',
    )
    .action(() => run(async ({ state }) => linesOf(await state())));

  withCreateOption(migrate.command('up'))
    .description('runs the pending migrations, with app.datasource.migration.username if it is set')
    .option(
      WHILE_IN_USE,
      'run also migrations that running versions do not survive, while other sessions use the database',
    )
    .action(({ whileInUse = false }: Choices) =>
      run(async ({ state, up }) => {
        const before = await state();
        const ran = await up(whileInUse);
        return ran.length === 0 ? ['No migration is pending.'] : ran.map((name) => appliedNow(name, before));
      }),
    );

  migrate
    .command('down')
    .description('reverts the migration that was applied last; stop all processes of the service first')
    .option('--force', 'revert it even if that loses data; the refusal without this option names them')
    .option(WHILE_IN_USE, 'revert it even while other sessions use the database')
    .action(({ force = false, whileInUse = false }: Choices & { readonly force?: boolean }) =>
      run(async ({ down }) => {
        const name = await down({ acceptsLoss: force, acceptsUse: whileInUse });
        return [name === undefined ? 'No migration is applied.' : `Reverted ${name}.`];
      }),
    );
}

function linesOf(state: MigrationState): readonly string[] {
  const pending = state.pendingMigrations.map(({ name, ends }) => `pending  ${name}${withComma(endsText(ends))}`);
  return [...state.applied.map(appliedLine), ...pending];
}

function withComma(text: string): string {
  return text === '' ? '' : `, ${text}`;
}

/** The note of a pending migration about running versions; empty if no version can be running. */
function endsText(ends: PendingMigration['ends']): string {
  if (ends === undefined) return '';
  if (ends === 'none') return 'running versions continue to work';
  return ends === 'all' ? 'versions that run now stop working' : `versions without ${ends.without} stop working`;
}

function appliedNow(name: string, { breaking }: MigrationState): string {
  const ends = breaking.find((migration) => migration.name === name)?.ends;
  return ends === undefined ? `Applied ${name}.` : `Applied ${name}: ${endsText(ends)}.`;
}

function appliedLine(migration: AppliedMigration): string {
  const { name, appliedAt } = migration;
  const time = appliedAt === undefined ? 'at an unrecorded time' : new Date(appliedAt * 1000).toISOString();
  if (isKnown(name)) return `applied  ${name}  ${time}`;
  const effect = isCompatible(migration) ? 'this version may run' : 'needs a newer version';
  return `unknown  ${name}  ${time}, ${effect}`;
}
