import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { DataSource } from 'typeorm';
import type { ServerConnection } from './server-connection.js';
import type { ServerPool } from './server-pool.js';

const NO_ROW = "INSERT INTO task_lease (task, fence, expires_at) SELECT 'health', 1, 0 FROM task_lease WHERE fence < 0";

/** Also checks that the database file was not deleted or replaced: SQLite keeps writing to a deleted file. */
export class EmbeddedProbe implements DatabaseProbe {
  private readonly file: string | undefined;
  private readonly inode: number | undefined;

  constructor(private readonly dataSource: DataSource) {
    const { database } = dataSource.options;
    this.file = typeof database === 'string' && database !== ':memory:' ? database : undefined;
    this.inode = this.file === undefined ? undefined : statSync(this.file).ino;
  }

  product(): Promise<string> {
    return Promise.resolve('SQLite');
  }

  async ping(): Promise<void> {
    await this.query('SELECT 1');
  }

  async query(sql: string): Promise<unknown> {
    await this.checkFile();
    return firstValue(await this.dataSource.query(sql));
  }

  /** Writes nothing: a write would wait for the lock of a command, and failed units of work show an unwritable database. */
  write(): Promise<void> {
    return Promise.resolve();
  }

  translate(sql: string): string {
    return withoutDual(sql);
  }

  private async checkFile(): Promise<void> {
    if (this.file === undefined) return;
    const found = await stat(this.file).catch((error: unknown) => {
      throw new Error('the file of the database cannot be found', { cause: error });
    });
    if (found.ino !== this.inode) throw new Error('the file of the database is another one than at the start');
  }
}

/** Checks that a database responds; `signal` aborts each method. */
export interface DatabaseProbe {
  /** The name of the product, e.g. `MariaDB`. */
  product(signal: AbortSignal): Promise<string>;
  /** Sends the ping of the protocol, or the smallest query. */
  ping(signal: AbortSignal): Promise<void>;
  /** Returns the first value of the first row. */
  query(sql: string, signal: AbortSignal): Promise<unknown>;
  /** Asks a server to execute an insert of no row, which it refuses if it is read-only or the account may not insert. */
  write(signal: AbortSignal): Promise<void>;
  /** Translates a query to the dialect of this engine. */
  translate(sql: string): string;
}

/** Removes the table DUAL, which SQLite does not have. */
export function withoutDual(sql: string): string {
  return sql.replace(/\s+FROM\s+DUAL\s*;?$/i, '');
}

/** Returns the first value of the result of either driver. */
function firstValue(rows: unknown): unknown {
  const [first] = Array.isArray(rows) ? (rows as readonly unknown[]) : [];
  return typeof first === 'object' && first !== null ? Object.values(first)[0] : undefined;
}

/** Uses a connection of the pool, so that an exhausted pool is detected, too. */
export class ServerProbe implements DatabaseProbe {
  private known: string | undefined;

  constructor(private readonly pool: ServerPool) {}

  /** Reads the product from the server, since a MySQL URL may lead to MariaDB. */
  async product(signal: AbortSignal): Promise<string> {
    this.known ??= /mariadb/i.test(String(await this.query('SELECT VERSION()', signal))) ? 'MariaDB' : 'MySQL';
    return this.known;
  }

  ping(signal: AbortSignal): Promise<void> {
    return this.lent(signal, (connection) => connection.ping());
  }

  query(sql: string, signal: AbortSignal): Promise<unknown> {
    return this.lent(signal, async (connection) => firstValue(await connection.query(sql)));
  }

  async write(signal: AbortSignal): Promise<void> {
    await this.query(NO_ROW, signal);
  }

  translate(sql: string): string {
    return sql;
  }

  private async lent<T>(signal: AbortSignal, use: (connection: ServerConnection) => Promise<T>): Promise<T> {
    const aborted = Promise.withResolvers<never>();
    aborted.promise.catch(() => undefined);
    const giveUp = (): void => {
      aborted.reject(new Error('given up'));
    };
    signal.addEventListener('abort', giveUp, { once: true });
    const borrowing = this.pool.borrow({ failsAtOutage: true });
    try {
      const lease = await Promise.race([borrowing, aborted.promise]);
      try {
        return await Promise.race([use(lease.connection), aborted.promise]);
      } finally {
        // A connection that waits for a response must not return to the pool.
        if (signal.aborted) lease.discard();
        else lease.release();
      }
    } finally {
      signal.removeEventListener('abort', giveUp);
      borrowing.then(
        (lease) => {
          lease.release();
        },
        () => undefined,
      );
    }
  }
}
