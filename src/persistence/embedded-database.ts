import { AsyncLocalStorage } from 'node:async_hooks';
import type { DataSource } from 'typeorm';
import { EmbeddedStatements } from './embedded-statements.js';
import type { Engine, Statements } from './unit-of-work.js';

/** The embedded database has one connection: transactions that overlapped there would merge, so they queue. */
export class EmbeddedDatabase implements Engine {
  /** Another process holds the file: some seconds of asking again, while this one goes on with everything else. */
  readonly tries = 60;
  private readonly statements: EmbeddedStatements;
  private readonly within = new AsyncLocalStorage<true>();
  private last: Promise<unknown> = Promise.resolve();

  constructor(dataSource: DataSource) {
    this.statements = new EmbeddedStatements(dataSource.createQueryRunner());
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
    const result = this.last.then(() => this.within.run(true, turn));
    this.last = result.catch(() => undefined);
    return result;
  }
}
