import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { WriteAheadLog } from './write-ahead-log.js';

/**
 * The options that TypeORM passes to the constructor of its `better-sqlite3` driver; its other options have no effect here.
 */
export interface NodeSqliteOptions {
  readonly readonly?: boolean;
  readonly fileMustExist?: boolean;
  /** Milliseconds for which a statement waits for another process that holds the lock. */
  readonly timeout?: number;
}

/** Prepared statements: more than the program has, since the texts for lists of values differ by the length of the list. */
const MAX_PREPARED = 300;

/**
 * Pages of the log after which a COMMIT copies them into the database file and waits for the disk twice. Four times the usual
 * number: a page that many commits change is copied once. The log has 16 MB then, and more while a reader is slow.
 */
const PAGES_OF_LOG = 4000;

/** A value in the form of TypeORM and the stores. */
export type SqliteValue = null | number | string | Buffer;

/** A database file opened with Node's own SQLite, with the methods that TypeORM's `better-sqlite3` driver calls. */
export class NodeSqlite {
  private readonly database: DatabaseSync;
  private readonly statements = new Map<string, NodeSqliteStatement>();
  private log: WriteAheadLog | undefined;

  constructor(
    file: string,
    { readonly: readOnly = false, fileMustExist = false, timeout = 0 }: NodeSqliteOptions = {},
  ) {
    this.database = new DatabaseSync(location(file, fileMustExist), { readOnly, timeout });
    if (readOnly) return;
    this.database.exec('PRAGMA journal_mode = WAL');
    // A used step or a rotated refresh token must not be forgotten in a power cut, as NORMAL would allow.
    this.database.exec('PRAGMA synchronous = FULL');
    this.database.exec(`PRAGMA wal_autocheckpoint = ${PAGES_OF_LOG}`);
  }

  prepare(sql: string): NodeSqliteStatement {
    return new NodeSqliteStatement(this.database.prepare(sql));
  }

  /** Prepares a statement once for all its calls. */
  prepared(sql: string): NodeSqliteStatement {
    let statement = this.statements.get(sql);
    if (statement === undefined) {
      statement = this.prepare(sql);
      if (this.statements.size >= MAX_PREPARED) this.statements.clear();
      this.statements.set(sql, statement);
    }
    return statement;
  }

  /**
   * Leaves it to the caller to wait for the disk after each commit, in the log that is returned; undefined if the database
   * has none, because it is in memory or its file system does not support it.
   */
  syncedByCaller(): WriteAheadLog | undefined {
    if (this.pragma('journal_mode')[0]?.['journal_mode'] !== 'wal') return undefined;
    this.database.exec('PRAGMA synchronous = NORMAL');
    // The first read creates the log. Its name follows from that of the file to which symbolic links lead.
    this.prepare('SELECT 1 FROM sqlite_schema').all();
    return (this.log ??= new WriteAheadLog(`${this.database.location() ?? ''}-wal`));
  }

  /** Runs `PRAGMA <text>` and returns its rows. */
  pragma(text: string): readonly Readonly<Record<string, SqliteValue>>[] {
    return this.prepare(`PRAGMA ${text}`).all();
  }

  close(): void {
    this.log?.close();
    this.database.close();
  }
}

class NodeSqliteStatement {
  /** True if the statement returns rows, which `insert … returning` does too. */
  readonly reader: boolean;
  private readonly names: readonly string[];
  /** A row of nulls. A copy has the shape of a row at once; a row that gets one column after the other takes twice as long. */
  private readonly emptyRow: Readonly<Record<string, null>>;

  constructor(private readonly statement: StatementSync) {
    // A plain read throws on an integer beyond 2^53; measured, reading all of them as bigint costs nothing.
    statement.setReadBigInts(true);
    // Node would create the names of all columns again for each row.
    statement.setReturnArrays(true);
    this.names = statement.columns().map(({ name }) => name);
    this.emptyRow = Object.fromEntries(this.names.map((name) => [name, null]));
    this.reader = this.names.length > 0;
  }

  all(...parameters: readonly unknown[]): Readonly<Record<string, SqliteValue>>[] {
    // The types do not describe `setReturnArrays`.
    const rows = this.statement.all(...parameters.map(bound)) as unknown as readonly (readonly SQLOutputValue[])[];
    return rows.map((values) => this.plainRow(values));
  }

  run(...parameters: readonly unknown[]): { changes: number; lastInsertRowid: number | string } {
    const { changes, lastInsertRowid } = this.statement.run(...parameters.map(bound));
    return { changes: Number(changes), lastInsertRowid: plainInteger(lastInsertRowid) };
  }

  private plainRow(values: readonly SQLOutputValue[]): Record<string, SqliteValue> {
    const row: Record<string, SqliteValue> = { ...this.emptyRow };
    for (const [index, name] of this.names.entries()) row[name] = plain(values[index]);
    return row;
  }
}

function location(file: string, mustExist: boolean): string | URL {
  if (!mustExist || file === ':memory:') return file;
  const url = pathToFileURL(file);
  url.searchParams.set('mode', 'rw');
  return url;
}

/** Converts values like the MySQL driver; Node would silently bind a `Date` as NULL. */
function bound(value: unknown): SQLInputValue {
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof Date) return value.toISOString().replace('T', ' ').slice(0, -1);
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') return value;
  if (value instanceof Uint8Array) return value;
  throw new TypeError(`a parameter of type ${typeof value} cannot be stored`);
}

function plain(value: SQLOutputValue | undefined): SqliteValue {
  if (typeof value === 'bigint') return plainInteger(value);
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return value ?? null;
}

/** Returns a number if it is exact, otherwise its digits, as the MySQL driver is configured to do. */
function plainInteger(value: number | bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}
