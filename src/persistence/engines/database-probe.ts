import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { DataSource } from 'typeorm';
import type { PoolConnection, QueryError } from 'mysql2';
import { poolOf } from './database-server.js';

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

  translate(sql: string): string {
    return sql.replace(/\s+FROM\s+DUAL\s*;?$/i, '');
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
  /** Translates a query to the dialect of this engine. */
  translate(sql: string): string;
}

/** Reads the result of either driver. */
function firstValue(rows: unknown): unknown {
  const [first] = Array.isArray(rows) ? (rows as readonly unknown[]) : [];
  return typeof first === 'object' && first !== null ? Object.values(first)[0] : undefined;
}

/** Uses a connection of the pool, so that an exhausted pool is detected, too. */
export class ServerProbe implements DatabaseProbe {
  private known: string | undefined;

  constructor(private readonly dataSource: DataSource) {}

  /** Asks the server, since a MySQL URL may lead to MariaDB. */
  async product(signal: AbortSignal): Promise<string> {
    this.known ??= /mariadb/i.test(String(await this.query('SELECT VERSION()', signal))) ? 'MariaDB' : 'MySQL';
    return this.known;
  }

  ping(signal: AbortSignal): Promise<void> {
    return this.lent(signal, (connection, done) => {
      connection.ping((error) => {
        done(error, undefined);
      });
    });
  }

  query(sql: string, signal: AbortSignal): Promise<unknown> {
    return this.lent(signal, (connection, done) => {
      connection.query(sql, (error: QueryError | null, rows: unknown) => {
        done(error, firstValue(rows));
      });
    });
  }

  translate(sql: string): string {
    return sql;
  }

  private lent<T>(
    signal: AbortSignal,
    use: (connection: PoolConnection, done: (error: Error | null, value: T) => void) => void,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        reject(new Error('given up'));
      };
      signal.addEventListener('abort', giveUp, { once: true });
      poolOf(this.dataSource).getConnection((failure, connection) => {
        if (failure) {
          reject(failure);
          return;
        }
        if (signal.aborted) {
          connection.release();
          return;
        }
        // A connection that waits for a response must not return to the pool.
        const drop = (): void => {
          connection.destroy();
        };
        signal.addEventListener('abort', drop, { once: true });
        use(connection, (error, value) => {
          signal.removeEventListener('abort', drop);
          if (signal.aborted) return;
          connection.release();
          if (error) reject(error);
          else resolve(value);
        });
      });
    });
  }
}
