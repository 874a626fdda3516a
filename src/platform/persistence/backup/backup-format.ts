import type { BackupPlan, BackupTable, Row } from './backup-plan.js';
import type { Value } from '../unit-of-work.js';

/**
 * A backup is a text of JSON lines, the same for every engine:
 *
 * 1. the header;
 * 2. for each table its name and columns, then one array for each row;
 * 3. the number of rows of each table, and the SHA-256 of all bytes before this line.
 */
export const FORMAT = 'login-service backup';
export const FORMAT_VERSION = 1;

export interface BackupHeader {
  readonly format: typeof FORMAT;
  readonly version: number;
  /** Time of the snapshot, in ISO 8601. */
  readonly created_at: string;
  /** Names of the migrations that the tables of the backup have. */
  readonly migrations: readonly string[];
}

interface TableLine {
  readonly table: string;
  readonly columns: readonly string[];
}

/** The number of rows by table. */
export type RowCounts = Readonly<Record<string, number>>;

export interface EndLine {
  readonly rows: RowCounts;
  readonly sha256: string;
}

/** A file that cannot be restored, or a database that cannot be backed up; the message is a sentence for operators. */
export class BackupRejection extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BackupRejected';
  }
}

export function damaged(why: string): BackupRejection {
  return new BackupRejection(`The file is damaged or incomplete: ${why}. Nothing was changed.`);
}

function newer(what: string): BackupRejection {
  return new BackupRejection(
    `The backup is newer than this version of the service: ${what}. Use the version that made it, or a later one. ` +
      'Nothing was changed.',
  );
}

/** @throws BackupRejection if the line is not the header of a backup that this version can read */
export function headerOf(line: unknown, knownMigrations: readonly string[]): BackupHeader {
  const header = line as Partial<BackupHeader> | null;
  if (typeof header !== 'object' || header?.format !== FORMAT) {
    throw new BackupRejection('The file is not a backup of this service. Nothing was changed.');
  }
  const { version, created_at, migrations } = header;
  if (typeof version !== 'number' || !isInstant(created_at) || !isTexts(migrations)) {
    throw damaged('its header is incomplete');
  }
  if (version > FORMAT_VERSION) throw newer(`its format is ${version}`);
  const unknown = migrations.find((name) => !knownMigrations.includes(name));
  if (unknown !== undefined) throw newer(`it has the migration ${JSON.stringify(unknown)}`);
  return { format: FORMAT, version, created_at, migrations };
}

/** Returns the table of a line, with its columns; undefined if the line does not begin a table. */
export function tableOf(
  line: unknown,
  { tables }: BackupPlan,
): { readonly of: BackupTable; readonly columns: readonly string[] } | undefined {
  const { table, columns } = (line ?? {}) as Partial<TableLine>;
  if (typeof table !== 'string' || !isTexts(columns)) return undefined;
  const of = tables.find((known) => known.table === table);
  // Names reach statements only as parts of our own list.
  const known = new Set([...(of?.columns ?? []), ...(of?.formerColumns ?? [])]);
  if (!of || columns.some((column) => !known.has(column))) throw damaged('it has an unknown table or column');
  return { of, columns };
}

/** Returns the row of a line; undefined if the line is not a row of these columns. */
export function rowOf(line: unknown, columns: readonly string[]): Row | undefined {
  if (!Array.isArray(line) || line.length !== columns.length || !line.every(isValue)) return undefined;
  return Object.fromEntries(columns.map((column, index) => [column, line[index] as Value]));
}

function isValue(value: unknown): value is Value {
  return value === null || typeof value === 'string' || typeof value === 'number';
}

/** The text reaches the terminal and the event of a restore. */
function isInstant(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

/** Returns the content of the last line of a backup; undefined if the line is not the last one. */
export function endOf(line: unknown): EndLine | undefined {
  const { rows, sha256 } = (line ?? {}) as { readonly rows?: unknown; readonly sha256?: unknown };
  if (typeof rows !== 'object' || rows === null || typeof sha256 !== 'string') return undefined;
  return { rows: rows as RowCounts, sha256 };
}
