import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { DataSource } from 'typeorm';
import type { PoolConnection, QueryError } from 'mysql2';
import { poolOf } from './database-server.js';

/** Asks the embedded database, whose file somebody may have taken away: SQLite goes on writing into one without a name. */
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
    await this.ask('SELECT 1');
  }

  async ask(sql: string): Promise<unknown> {
    await this.checkFile();
    return firstValue(await this.dataSource.query(sql));
  }

  translated(sql: string): string {
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

/** Asks a database whether it is there; each method gives up at `signal`. */
export interface DatabaseProbe {
  /** Name of the product that answers, e.g. `MariaDB`. */
  product(signal: AbortSignal): Promise<string>;
  /** The protocol's own question, or the least that proves the same. */
  ping(signal: AbortSignal): Promise<void>;
  /** The first value of the first row. */
  ask(sql: string, signal: AbortSignal): Promise<unknown>;
  /** The query in the words of this engine. */
  translated(sql: string): string;
}

/** Of a result as both drivers give it. */
export function firstValue(rows: unknown): unknown {
  const [first] = Array.isArray(rows) ? (rows as readonly unknown[]) : [];
  return typeof first === 'object' && first !== null ? Object.values(first)[0] : undefined;
}

/** Asks MySQL or MariaDB over a connection of the pool, so that a pool that gives none is found out as well. */
export class ServerProbe implements DatabaseProbe {
  private known: string | undefined;

  constructor(private readonly dataSource: DataSource) {}

  /** The URL may say MySQL of a MariaDB. */
  async product(signal: AbortSignal): Promise<string> {
    this.known ??= /mariadb/i.test(String(await this.ask('SELECT VERSION()', signal))) ? 'MariaDB' : 'MySQL';
    return this.known;
  }

  ping(signal: AbortSignal): Promise<void> {
    return this.lent(signal, (connection, done) => {
      connection.ping((error) => {
        done(error, undefined);
      });
    });
  }

  ask(sql: string, signal: AbortSignal): Promise<unknown> {
    return this.lent(signal, (connection, done) => {
      connection.query(sql, (error: QueryError | null, rows: unknown) => {
        done(error, firstValue(rows));
      });
    });
  }

  translated(sql: string): string {
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
        // What waits for an answer that may never come is of no use to anybody else.
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
