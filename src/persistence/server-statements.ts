import type { PoolConnection, QueryError, ResultSetHeader, RowDataPacket } from 'mysql2';
import { failureOf } from './driver-failure.js';
import type { StatementLog } from './statement-log.js';
import type { Statements, Value } from './unit-of-work.js';

/**
 * The statements of one connection to MySQL or MariaDB, prepared once on it: the server parses and plans a text once
 * instead of at every call, which TypeORM's way, with the values inside the text, cannot offer.
 */
export class ServerStatements implements Statements {
  constructor(
    private readonly connection: PoolConnection,
    /** Longest time of one statement in milliseconds; unset, there is no limit. */
    private readonly timeout: number | undefined,
    private readonly log: StatementLog,
  ) {}

  async change(sql: string, values: readonly Value[] = []): Promise<number> {
    const { affectedRows } = await this.executed<ResultSetHeader>(sql, values);
    return affectedRows;
  }

  async insert(sql: string, values: readonly Value[] = []): Promise<boolean> {
    try {
      await this.executed<ResultSetHeader>(sql, values);
      return true;
    } catch (error) {
      // The rest of the transaction stands.
      if (failureOf(error) === 'duplicate') return false;
      throw error;
    }
  }

  async rows<Row>(sql: string, values: readonly Value[] = []): Promise<readonly Row[]> {
    return (await this.executed<RowDataPacket[]>(sql, values)) as readonly unknown[] as readonly Row[];
  }

  /** Takes the transaction back, if need be with the connection: the next one must not work inside it. */
  async takeBack(): Promise<void> {
    try {
      await this.control('ROLLBACK');
    } catch {
      // The error that brought us here is the one to tell.
      this.connection.destroy();
    }
  }

  /** `START TRANSACTION` and the like, which are not prepared. */
  control(sql: string): Promise<void> {
    const run = (): Promise<void> =>
      new Promise((resolve, reject) => {
        this.connection.query(this.options(sql), (error: QueryError | null) => {
          if (error) reject(error);
          else resolve();
        });
      });
    return this.log.isOn ? this.log.follow(sql, run) : run();
  }

  private executed<R extends ResultSetHeader | RowDataPacket[]>(sql: string, values: readonly Value[]): Promise<R> {
    const run = (): Promise<R> =>
      new Promise((resolve, reject) => {
        this.connection.execute<R>(
          { ...this.options(sql), values: [...values] },
          (error: QueryError | null, result: R) => {
            if (error) reject(error);
            else resolve(result);
          },
        );
      });
    return this.log.isOn ? this.log.follow(sql, run) : run();
  }

  private options(sql: string): { sql: string; timeout?: number } {
    return this.timeout === undefined ? { sql } : { sql, timeout: this.timeout };
  }
}
