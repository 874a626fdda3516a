import type { Command } from 'commander';
import { lineOf } from '../config/problem.js';
import {
  type AppliedMigration,
  isCompatible,
  isKnown,
  type MigrationState,
} from '../persistence/migrations/migration-state.js';
import { SchemaFailure } from '../persistence/migrations/schema-failure.js';
import { EXIT, type ExitCode } from './exit-code.js';

/** The database, opened with the migration account for one command. */
export interface MigrateServices {
  readonly state: () => Promise<MigrationState>;
  /** Runs pending migrations and returns their names. */
  readonly up: () => Promise<readonly string[]>;
  /** Reverts the last migration and returns its name; undefined if none is applied. */
  readonly down: (acceptsLoss: boolean) => Promise<string | undefined>;
  readonly close: () => Promise<void>;
}

/** Dependencies of the commands. */
export interface MigrateCommandParts {
  readonly open: () => Promise<MigrateServices>;
  readonly print: (line: string) => void;
  readonly complain: (line: string) => void;
}

/** `migrate status`, `up` and `down`; each sets the exit code by `exit`. */
export function addMigrateCommand(program: Command, parts: MigrateCommandParts, exit: (code: ExitCode) => void): void {
  const migrate = program.command('migrate').description('change the tables to those of this version, and back');
  const run = async (command: (services: MigrateServices) => Promise<readonly string[]>): Promise<void> => {
    exit(await printed(parts, command));
  };

  migrate
    .command('status')
    .description('lists the migrations: applied with their times, pending, and unknown ones of newer versions')
    .action(() => run(async ({ state }) => linesOf(await state())));

  migrate
    .command('up')
    .description('runs the pending migrations, with app.datasource.migration.username if it is set')
    .action(() =>
      run(async ({ up }) => {
        const ran = await up();
        return ran.length === 0 ? ['No migration is pending.'] : ran.map((name) => `Applied ${name}.`);
      }),
    );

  migrate
    .command('down')
    .description('reverts the migration that was applied last; stop all processes of the service first')
    .option('--force', 'revert it even if that loses data; the refusal without this option names them')
    .action(({ force = false }: { force?: boolean }) =>
      run(async ({ down }) => {
        const name = await down(force);
        return [name === undefined ? 'No migration is applied.' : `Reverted ${name}.`];
      }),
    );
}

async function printed(
  { open, print, complain }: MigrateCommandParts,
  command: (services: MigrateServices) => Promise<readonly string[]>,
): Promise<ExitCode> {
  let services: MigrateServices | undefined;
  try {
    services = await open();
    for (const line of await command(services)) print(line);
    return EXIT.done;
  } catch (error) {
    if (!(error instanceof SchemaFailure)) throw error;
    complain(lineOf(error.problem));
    return EXIT.failed;
  } finally {
    await services?.close();
  }
}

function linesOf(state: MigrationState): readonly string[] {
  return [...state.applied.map(appliedLine), ...state.pending.map((name) => `pending  ${name}`)];
}

function appliedLine(migration: AppliedMigration): string {
  const { name, appliedAt } = migration;
  const time = appliedAt === undefined ? 'at an unrecorded time' : new Date(appliedAt * 1000).toISOString();
  if (isKnown(name)) return `applied  ${name}  ${time}`;
  const verdict = isCompatible(migration) ? 'this version may run' : 'needs a newer version';
  return `unknown  ${name}  ${time}, ${verdict}`;
}
