import type { PoolConnection, QueryError, ResultSetHeader, RowDataPacket } from 'mysql2';
import { classifyFailure } from './driver-failure.js';
import { type ResponseDeadline, ResponseTimeout } from './response-deadline.js';
import type { StatementLog } from '../database-instrumentation.js';
import type { Statements, Value } from '../unit-of-work.js';

/**
 * The statements of one connection to MySQL or MariaDB, prepared once on it: the server parses and plans a text once
 * instead of at every call, which TypeORM's way, with the values inside the text, cannot offer.
 */
export class ServerStatements implements Statements {
  constructor(
    private readonly connection: PoolConnection,
    private readonly deadline: ResponseDeadline,
    private readonly log: StatementLog,
  ) {}

  async change(sql: string, values: readonly Value[] = []): Promise<number> {
    const { affectedRows } = await this.execute<ResultSetHeader>(sql, values);
    return affectedRows;
  }

  async insert(sql: string, values: readonly Value[] = []): Promise<boolean> {
    try {
      await this.execute<ResultSetHeader>(sql, values);
      return true;
    } catch (error) {
      // The transaction stays open.
      if (classifyFailure(error) === 'duplicate') return false;
      throw error;
    }
  }

  async rows<Row>(sql: string, values: readonly Value[] = []): Promise<readonly Row[]> {
    return (await this.execute<RowDataPacket[]>(sql, values)) as readonly unknown[] as readonly Row[];
  }

  /** Rolls back, or else closes the connection, so that the next transaction does not continue this one. */
  async rollback(): Promise<void> {
    try {
      await this.control('ROLLBACK');
    } catch {
      // The first error is the one to report.
      disconnect(this.connection);
    }
  }

  /** Runs `START TRANSACTION` and the like, which are not prepared. */
  control(sql: string): Promise<void> {
    const run = (): Promise<void> =>
      new Promise((resolve, reject) => {
        this.connection.query(sql, (error: QueryError | null) => {
          if (error) reject(error);
          else resolve();
        });
      });
    return this.withDeadline(sql, run);
  }

  private execute<R extends ResultSetHeader | RowDataPacket[]>(sql: string, values: readonly Value[]): Promise<R> {
    const run = (): Promise<R> =>
      new Promise((resolve, reject) => {
        this.connection.execute<R>(sql, [...values], (error: QueryError | null, result: R) => {
          if (error) reject(error);
          else resolve(result);
        });
      });
    return this.withDeadline(sql, run);
  }

  private async withDeadline<T>(sql: string, run: () => Promise<T>): Promise<T> {
    const limited = (): Promise<T> => this.deadline.response(run);
    try {
      return await (this.log.isEnabled ? this.log.log(sql, limited) : limited());
    } catch (error) {
      // A late response would be taken for that of the next statement on this connection.
      if (error instanceof ResponseTimeout) disconnect(this.connection);
      throw error;
    }
  }
}

/** Removes a connection from its pool and destroys its socket, without waiting for an unresponsive server. */
export function disconnect(connection: PoolConnection): void {
  connection.destroy();
  (connection as unknown as { readonly stream: { destroy(): void } }).stream.destroy();
}
