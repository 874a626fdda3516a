import { AsyncLocalStorage } from 'node:async_hooks';
import type { DataSource, QueryRunner } from 'typeorm';
import type { DatabaseInstrumentation, StatementLog } from '../database-instrumentation.js';
import type { PoolMeters } from '../pool/pool-meters.js';
import type { Engine, Statements, Value } from '../unit-of-work.js';
import { classifyFailure } from './driver-failure.js';

/** The embedded database has one connection, so transactions queue; overlapping ones would merge. */
export class EmbeddedDatabase implements Engine {
  /** Retries for some seconds while another process locks the file; the event loop stays free meanwhile. */
  readonly maxAttempts = 60;
  private readonly statements: EmbeddedStatements;
  private readonly within = new AsyncLocalStorage<true>();
  private last: Promise<unknown> = Promise.resolve();
  private readonly pool: PoolMeters;
  private pending = 0;
  private isBusy = false;

  constructor(dataSource: DataSource, { pool, statements }: DatabaseInstrumentation) {
    this.statements = new EmbeddedStatements(dataSource.createQueryRunner(), statements);
    this.pool = pool;
    this.pool.observe(() => ({ open: 1, idle: this.isBusy ? 0 : 1, pending: this.pending, min: 1, max: 1 }));
  }

  transaction<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    return this.enqueue(async () => {
      // IMMEDIATE takes the write lock now; upgrading a read transaction would fail while another process writes.
      await this.statements.change('BEGIN IMMEDIATE');
      try {
        const result = await work(this.statements);
        await this.statements.change('COMMIT');
        return result;
      } catch (error) {
        await this.statements.change('ROLLBACK').catch(() => {
          // SQLite has already rolled back after some errors; the first error is the one to report.
        });
        throw error;
      }
    });
  }

  autocommit<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    return this.enqueue(() => work(this.statements));
  }

  private enqueue<T>(turn: () => Promise<T>): Promise<T> {
    if (this.within.getStore()) throw new TypeError('a unit of work inside another one: pass tx on');
    const asked = performance.now();
    this.pending += 1;
    const result = this.last.then(() => this.runNext(asked, turn));
    this.last = result.catch(() => undefined);
    return result;
  }

  private async runNext<T>(asked: number, turn: () => Promise<T>): Promise<T> {
    this.pending -= 1;
    this.isBusy = true;
    this.pool.acquired(asked, false);
    const taken = performance.now();
    try {
      return await this.within.run(true, turn);
    } finally {
      this.isBusy = false;
      this.pool.released(taken);
    }
  }
}

/** Statements on the single connection of the embedded database. */
class EmbeddedStatements implements Statements {
  constructor(
    private readonly runner: QueryRunner,
    private readonly log: StatementLog,
  ) {}

  async change(sql: string, values: readonly Value[] = []): Promise<number> {
    const { affected = 0 } = await this.logged(sql, () => this.runner.query(sql, [...values], true));
    return affected;
  }

  async insert(sql: string, values: readonly Value[] = []): Promise<boolean> {
    try {
      await this.logged(sql, () => this.runner.query(sql, [...values]));
      return true;
    } catch (error) {
      // Neither engine rolls back the transaction for it.
      if (classifyFailure(error) === 'duplicate') return false;
      throw error;
    }
  }

  async rows<Row>(sql: string, values: readonly Value[] = []): Promise<readonly Row[]> {
    return (await this.logged(sql, () => this.runner.query(sql, [...values]))) as readonly Row[];
  }

  private logged<T>(sql: string, run: () => Promise<T>): Promise<T> {
    return this.log.isEnabled ? this.log.log(sql, run) : run();
  }
}
