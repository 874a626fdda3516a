import type { Clock } from '../../../kernel/clock/clock.js';
import type { Random } from '../../../kernel/random/random.js';
import type { MigrationState } from '../migrations/migration-state.js';
import type { Value } from '../unit-of-work.js';
import { BackupRejection, FORMAT, FORMAT_VERSION, type RowCounts } from './backup-format.js';
import type { BackupPlan, BackupTable, Row } from './backup-plan.js';
import { BackupWriter } from './backup-writer.js';
import type { DatabaseSettings } from '../database-address.js';
import { DatabaseConnection, type Read } from './database-connection.js';

/** Maximum number of rows that one statement reads. */
const PAGE = 500;

/**
 * Writes one state of the database to a new file of mode 600, while the service runs. Returns the number of rows by table.
 * @throws BackupRejection
 */
export async function backUp(
  settings: DatabaseSettings,
  file: string,
  plan: BackupPlan,
  clock: Clock,
  random: Random,
): Promise<RowCounts> {
  return DatabaseConnection.during(settings, async (connection) => {
    const writer = await BackupWriter.create(file, random);
    // Before the snapshot: every change that was stored before this time is in the backup.
    const created_at = new Date(clock.millis()).toISOString();
    try {
      return await connection.snapshot(() => writeAll(connection, writer, plan, created_at));
    } catch (error) {
      await writer.abandon();
      throw error;
    }
  });
}

async function writeAll(
  connection: DatabaseConnection,
  writer: BackupWriter,
  { tables }: BackupPlan,
  created_at: string,
): Promise<RowCounts> {
  const migrations = namesOf(await connection.migrations());
  await writer.header({ format: FORMAT, version: FORMAT_VERSION, created_at, migrations });
  for (const table of tables) {
    await writer.table(table.table, table.columns);
    for await (const row of rowsOf(connection.read, table)) {
      await writer.row(
        table.table,
        table.columns.map((column) => row[column] ?? null),
      );
    }
  }
  return writer.finish();
}

/** @throws BackupRejection if the tables are not those of this version: rows of others would be incomplete */
function namesOf({ applied, pending, unknown }: MigrationState): readonly string[] {
  if (applied.length === 0) throw new BackupRejection('The database has no tables of this service.');
  if (unknown.length > 0) {
    throw new BackupRejection(
      `The tables are newer than this version of the service: it does not know ${textOf(unknown[0]?.name)}. Back up with ` +
        'the version that has migrated them.',
    );
  }
  if (pending.length > 0) {
    throw new BackupRejection(
      `The tables are older than this version of the service: ${textOf(pending[0])} is pending. Back up with the version ` +
        'that runs.',
    );
  }
  return applied.map(({ name }) => name);
}

function textOf(name = ''): string {
  return JSON.stringify(name);
}

/** Reads all rows in the order of the primary key, page by page. */
async function* rowsOf(read: Read, { table, key, columns, where = '1 = 1' }: BackupTable): AsyncGenerator<Row> {
  const select = `SELECT ${columns.join(', ')} FROM ${table} WHERE ${where}`;
  const order = `ORDER BY ${key.join(', ')} LIMIT ${PAGE}`;
  let last: Row | undefined;
  do {
    const page: readonly Row[] = last
      ? await read<Row>(`${select} AND ${after(key)} ${order}`, valuesAfter(key, last))
      : await read<Row>(`${select} ${order}`);
    yield* page;
    last = page.length < PAGE ? undefined : page.at(-1);
  } while (last);
}

/** `a >= ? AND (a > ? OR (a = ? AND b > ?))`: MySQL uses an index for this form, and not for `(a, b) > (?, ?)`. */
function after([first = '', ...others]: readonly string[]): string {
  if (others.length === 0) return `${first} > ?`;
  return `${first} >= ? AND (${first} > ? OR (${first} = ? AND ${after(others)}))`;
}

function valuesAfter([first = '', ...others]: readonly string[], row: Row): readonly Value[] {
  const value = row[first] ?? null;
  return others.length === 0 ? [value] : [value, value, value, ...valuesAfter(others, row)];
}
