import type { QueryRunner } from 'typeorm';
import { failureOf } from './driver-failure.js';
import type { Statements, Value } from './unit-of-work.js';

/** The statements of the embedded database's one connection. */
export class EmbeddedStatements implements Statements {
  constructor(private readonly runner: QueryRunner) {}

  async change(sql: string, values: readonly Value[] = []): Promise<number> {
    const { affected = 0 } = await this.runner.query(sql, [...values], true);
    return affected;
  }

  async insert(sql: string, values: readonly Value[] = []): Promise<boolean> {
    try {
      await this.runner.query(sql, [...values]);
      return true;
    } catch (error) {
      // Neither engine takes a whole transaction back for it.
      if (failureOf(error) === 'duplicate') return false;
      throw error;
    }
  }

  async rows<Row>(sql: string, values: readonly Value[] = []): Promise<readonly Row[]> {
    return (await this.runner.query(sql, [...values])) as readonly Row[];
  }
}
