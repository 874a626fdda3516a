import type { PoolConnection, QueryError } from 'mysql2';
import type { DataSource } from 'typeorm';
import { type DatabaseProbe, firstValue } from './database-probe.js';
import { poolOf } from './database-server.js';

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
