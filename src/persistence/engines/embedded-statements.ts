import type { QueryRunner } from 'typeorm';
import { failureOf } from './driver-failure.js';
import type { StatementLog } from '../statement-log.js';
import type { Statements, Value } from '../unit-of-work.js';

/** The statements of the embedded database's one connection. */
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
      // Neither engine takes a whole transaction back for it.
      if (failureOf(error) === 'duplicate') return false;
      throw error;
    }
  }

  async rows<Row>(sql: string, values: readonly Value[] = []): Promise<readonly Row[]> {
    return (await this.logged(sql, () => this.runner.query(sql, [...values]))) as readonly Row[];
  }

  private logged<T>(sql: string, run: () => Promise<T>): Promise<T> {
    return this.log.isOn ? this.log.follow(sql, run) : run();
  }
}
