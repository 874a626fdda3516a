import { AsyncLocalStorage } from 'node:async_hooks';
import type { DataSource } from 'typeorm';
import type { DatabaseWatch } from '../database-instrumentation.js';
import { EmbeddedStatements } from './embedded-statements.js';
import type { PoolMeters } from '../pool/pool-meters.js';
import type { Engine, Statements } from '../unit-of-work.js';

/** The embedded database has one connection: transactions that overlapped there would merge, so they queue. */
export class EmbeddedDatabase implements Engine {
  /** Another process holds the file: some seconds of asking again, while this one goes on with everything else. */
  readonly tries = 60;
  private readonly statements: EmbeddedStatements;
  private readonly within = new AsyncLocalStorage<true>();
  private last: Promise<unknown> = Promise.resolve();
  private readonly pool: PoolMeters;
  private pending = 0;
  private isBusy = false;

  constructor(dataSource: DataSource, watch: DatabaseWatch) {
    this.statements = new EmbeddedStatements(dataSource.createQueryRunner(), watch.statements);
    this.pool = watch.pool;
    this.pool.watch(() => ({ open: 1, idle: this.isBusy ? 0 : 1, pending: this.pending, least: 1, most: 1 }));
  }

  transaction<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    return this.queued(async () => {
      // Immediate: a transaction that reads first and writes later would fail beside another process.
      await this.statements.change('BEGIN IMMEDIATE');
      try {
        const result = await work(this.statements);
        await this.statements.change('COMMIT');
        return result;
      } catch (error) {
        await this.statements.change('ROLLBACK').catch(() => {
          // SQLite has already taken everything back for some errors; the first one is the one to tell.
        });
        throw error;
      }
    });
  }

  autocommit<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    return this.queued(() => work(this.statements));
  }

  private queued<T>(turn: () => Promise<T>): Promise<T> {
    if (this.within.getStore()) throw new TypeError('a unit of work inside another one: pass tx on');
    const asked = performance.now();
    this.pending += 1;
    const result = this.last.then(() => this.taken(asked, turn));
    this.last = result.catch(() => undefined);
    return result;
  }

  private async taken<T>(asked: number, turn: () => Promise<T>): Promise<T> {
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
