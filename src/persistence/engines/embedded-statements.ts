import type { QueryRunner } from 'typeorm';
import { classifyFailure } from './driver-failure.js';
import type { StatementLog } from '../database-instrumentation.js';
import type { Statements, Value } from '../unit-of-work.js';

/** Statements on the single connection of the embedded database. */
export class EmbeddedStatements implements Statements {
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
