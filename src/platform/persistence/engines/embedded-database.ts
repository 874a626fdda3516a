import { AsyncLocalStorage } from 'node:async_hooks';
import type { DataSource } from 'typeorm';
import type { DatabaseInstrumentation, StatementLog } from '../database-instrumentation.js';
import type { PoolMeters } from '../pool/pool-meters.js';
import type { Engine, Statements, Value } from '../unit-of-work.js';
import { classifyFailure } from './driver-failure.js';
import type { NodeSqlite } from './node-sqlite.js';
import type { WriteAheadLog } from './write-ahead-log.js';

/**
 * The embedded database has one connection, so transactions queue; overlapping ones would merge. The queue goes on after a
 * commit, while the result of the unit of work waits for the disk.
 */
export class EmbeddedDatabase implements Engine {
  readonly dialect = 'sqlite';
  /** Attempts for some seconds while another process locks the file; the event loop stays free meanwhile. */
  readonly maxAttempts = 60;
  private readonly database: NodeSqlite;
  private readonly log: WriteAheadLog | undefined;
  private readonly within = new AsyncLocalStorage<true>();
  private readonly pool: PoolMeters;
  private readonly statementLog: StatementLog;
  private last: Promise<unknown> = Promise.resolve();
  private pending = 0;
  private isBusy = false;

  constructor(dataSource: DataSource, { pool, statements }: DatabaseInstrumentation) {
    this.database = connectionOf(dataSource);
    this.log = this.database.syncedByCaller();
    this.statementLog = statements;
    this.pool = pool;
    this.pool.observe(() => {
      const active = this.isBusy ? 1 : 0;
      return { open: 1, idle: 1 - active, active, pending: this.pending, min: 1, max: 1 };
    });
  }

  transaction<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    return this.enqueue(async (statements) => {
      // IMMEDIATE takes the write lock now; upgrading a read transaction would fail while another process writes.
      await statements.control('BEGIN IMMEDIATE');
      try {
        const result = await work(statements);
        await statements.control('COMMIT');
        return result;
      } catch (error) {
        statements.hasChanged = false;
        await statements.control('ROLLBACK').catch(() => {
          // SQLite has already rolled back after some errors; the first error is the one to report.
        });
        throw error;
      }
    });
  }

  autocommit<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    return this.enqueue(work);
  }

  private async enqueue<T>(work: (statements: EmbeddedStatements) => Promise<T>): Promise<T> {
    if (this.within.getStore()) throw new TypeError('a unit of work inside another one: pass tx on');
    const requested = performance.now();
    this.pending += 1;
    const turn = this.last.then(() => this.runNext(requested, work));
    this.last = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      // Also for a unit that only read: it may have seen a commit that a power failure would undo.
      await this.log?.settled();
    }
  }

  private async runNext<T>(requested: number, work: (statements: EmbeddedStatements) => Promise<T>): Promise<T> {
    this.pending -= 1;
    this.isBusy = true;
    this.pool.acquired(requested);
    const taken = performance.now();
    const statements = new EmbeddedStatements(this.database, this.statementLog);
    try {
      return await this.within.run(true, work, statements);
    } finally {
      if (statements.hasChanged) this.log?.noteCommit();
      this.isBusy = false;
      this.pool.released(taken);
    }
  }
}

const SELECT = /^\s*SELECT\b/i;

/** The statements of one unit of work. */
class EmbeddedStatements implements Statements {
  /** True if a statement changed a row that was not rolled back. */
  hasChanged = false;

  constructor(
    private readonly database: NodeSqlite,
    private readonly log: StatementLog,
  ) {}

  change(sql: string, values: readonly Value[] = []): Promise<number> {
    return this.logged(sql, () => this.run(sql, values));
  }

  async insert(sql: string, values: readonly Value[] = []): Promise<boolean> {
    try {
      await this.logged(sql, () => this.run(sql, values));
      return true;
    } catch (error) {
      // Neither engine rolls back the transaction for it.
      if (classifyFailure(error) === 'duplicate') return false;
      throw error;
    }
  }

  rows<Row>(sql: string, values: readonly Value[] = []): Promise<readonly Row[]> {
    // A statement such as `INSERT … RETURNING` changes rows, too.
    if (!SELECT.test(sql)) this.hasChanged = true;
    return this.logged(sql, () => this.database.prepared(sql).all(...values) as readonly unknown[] as readonly Row[]);
  }

  /** Runs a statement without values, such as `BEGIN`. */
  control(sql: string): Promise<void> {
    return this.logged(sql, () => {
      this.database.prepared(sql).run();
    });
  }

  private run(sql: string, values: readonly Value[]): number {
    const { changes } = this.database.prepared(sql).run(...values);
    if (changes > 0) this.hasChanged = true;
    return changes;
  }

  // `async` turns an exception of the driver into a rejection.
  private async logged<T>(sql: string, run: () => T): Promise<T> {
    return this.log.isEnabled ? this.log.log(sql, () => Promise.resolve().then(run)) : run();
  }
}

/** Returns the one connection of TypeORM's driver for an embedded database. */
function connectionOf(dataSource: DataSource): NodeSqlite {
  return (dataSource.driver as unknown as { readonly databaseConnection: NodeSqlite }).databaseConnection;
}
