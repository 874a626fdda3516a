import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { DataSource, QueryRunner } from 'typeorm';
import { ConversionProblem } from '../../../config/problem.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { openDatabase, socketTimeoutOf } from '../database.js';
import type { DatabaseSettings } from '../database-address.js';
import { classifyFailure, driverCode } from '../engines/driver-failure.js';
import { ResponseDeadline } from '../engines/response-deadline.js';
import { parseJdbcUrl } from '../jdbc/jdbc-url.js';
import { MigrationState } from '../migrations/migration-state.js';
import { otherSessions } from '../other-sessions.js';
import type { Value } from '../unit-of-work.js';
import { BackupRejection } from './backup-format.js';

/** Reads rows on one connection. */
export type Read = <R>(sql: string, values?: readonly Value[]) => Promise<readonly R[]>;

/** One connection that runs no migrations, since neither a backup nor a check may change the tables. */
export class DatabaseConnection {
  private readonly deadline: ResponseDeadline;

  private constructor(
    private readonly dataSource: DataSource,
    private readonly runner: QueryRunner,
    private readonly settings: DatabaseSettings,
  ) {
    this.deadline = new ResponseDeadline({ request: 0, statement: socketTimeoutOf(dataSource) });
  }

  /**
   * Runs `work` with a connection; the embedded database must exist.
   * @throws ServiceError `UNAVAILABLE` if the database fails meanwhile
   */
  static async during<T>(settings: DatabaseSettings, work: (connection: DatabaseConnection) => Promise<T>): Promise<T> {
    if (isMissing(settings)) throw new BackupRejection('The embedded database does not exist yet.');
    const dataSource = await openDatabase(settings, {}, () => Promise.resolve());
    const runner = dataSource.createQueryRunner();
    try {
      return await work(new DatabaseConnection(dataSource, runner, settings));
    } catch (error) {
      throw classifyFailure(error) === undefined ? error : new ServiceError('UNAVAILABLE', { cause: error });
    } finally {
      await runner.release();
      await dataSource.destroy();
    }
  }

  readonly read: Read = async <R>(sql: string, values: readonly Value[] = []) =>
    (await this.run(sql, values)) as readonly R[];

  migrations(): Promise<MigrationState> {
    return MigrationState.readBy(this.runner);
  }

  /** Returns the sessions of other processes that use the database. */
  others(): Promise<readonly string[]> {
    return otherSessions(this.settings, [this.dataSource]);
  }

  /**
   * Runs `work` on one state of the database, while others continue to write.
   * @throws BackupRejection if a migration changes a table meanwhile
   */
  async snapshot<T>(work: () => Promise<T>): Promise<T> {
    if (this.isEmbedded) {
      // The first read takes the snapshot; readers of the write-ahead log and writers do not wait for each other.
      await this.run('BEGIN');
    } else {
      await this.run('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
      await this.run('START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY');
    }
    try {
      return await work();
    } catch (error) {
      if (driverCode(error) !== 'ER_TABLE_DEF_CHANGED') throw error;
      throw new BackupRejection('A migration has changed the tables during the backup: run it again.', {
        cause: error,
      });
    } finally {
      // The first error is the one to report; the connection is closed afterwards in any case.
      await this.run('ROLLBACK').catch(() => undefined);
    }
  }

  private get isEmbedded(): boolean {
    return this.dataSource.options.type === 'better-sqlite3';
  }

  private run(sql: string, values: readonly Value[] = []): Promise<unknown> {
    return this.deadline.response(() => this.runner.query(sql, [...values]));
  }
}

/** True if the file of the embedded database does not exist. */
export function isMissing({ url }: DatabaseSettings): boolean {
  const file = embeddedFile(url);
  return file !== undefined && !existsSync(file);
}

function embeddedFile(url: string): string | undefined {
  const location = parseJdbcUrl(url);
  if (location instanceof ConversionProblem || location.engine !== 'sqlite') return undefined;
  if (location.file === ':memory:') throw new BackupRejection('A database in memory ends with its process.');
  return resolve(location.file);
}
