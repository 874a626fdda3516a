import type { PoolConnection, QueryError, ResultSetHeader, RowDataPacket } from 'mysql2';
import { failureOf } from './driver-failure.js';
import { type Silence, SilentDatabase } from './answer-timeout.js';
import type { StatementLog } from '../statement-log.js';
import type { Statements, Value } from '../unit-of-work.js';

/**
 * The statements of one connection to MySQL or MariaDB, prepared once on it: the server parses and plans a text once
 * instead of at every call, which TypeORM's way, with the values inside the text, cannot offer.
 */
export class ServerStatements implements Statements {
  constructor(
    private readonly connection: PoolConnection,
    private readonly silence: Silence,
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
      cut(this.connection);
    }
  }

  /** `START TRANSACTION` and the like, which are not prepared. */
  control(sql: string): Promise<void> {
    const run = (): Promise<void> =>
      new Promise((resolve, reject) => {
        this.connection.query(sql, (error: QueryError | null) => {
          if (error) reject(error);
          else resolve();
        });
      });
    return this.answered(sql, run);
  }

  private executed<R extends ResultSetHeader | RowDataPacket[]>(sql: string, values: readonly Value[]): Promise<R> {
    const run = (): Promise<R> =>
      new Promise((resolve, reject) => {
        this.connection.execute<R>(sql, [...values], (error: QueryError | null, result: R) => {
          if (error) reject(error);
          else resolve(result);
        });
      });
    return this.answered(sql, run);
  }

  private async answered<T>(sql: string, run: () => Promise<T>): Promise<T> {
    const limited = (): Promise<T> => this.silence.answer(run);
    try {
      return await (this.log.isOn ? this.log.follow(sql, limited) : limited());
    } catch (error) {
      // A late answer would be read as that of the next statement on this connection, or of the next unit of work.
      if (error instanceof SilentDatabase) cut(this.connection);
      throw error;
    }
  }
}

/** Takes a connection out of its pool and frees its socket, which would otherwise wait for a silent server to end it. */
export function cut(connection: PoolConnection): void {
  connection.destroy();
  (connection as unknown as { readonly stream: { destroy(): void } }).stream.destroy();
}
