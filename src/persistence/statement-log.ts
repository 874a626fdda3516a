import type { Logger } from '../logging/logger.js';
import { driverWord, failureOf } from './engines/driver-failure.js';

/**
 * Logger `orm.sql`: at `DEBUG`, every statement with its time. Never its values, which may be secrets: only the texts,
 * and those are written by us.
 */
export class StatementLog {
  constructor(private readonly logger: Logger) {}

  /** Where it is not, nobody looks at the clock. */
  get isOn(): boolean {
    return this.logger.isEnabled('DEBUG');
  }

  /** Runs a statement and logs it, whether or not it succeeds. */
  async follow<T>(sql: string, run: () => Promise<T>): Promise<T> {
    const begun = performance.now();
    try {
      const result = await run();
      this.write(sql, begun);
      return result;
    } catch (error) {
      this.write(sql, begun, failureOf(error) ?? driverWord(error));
      throw error;
    }
  }

  private write(sql: string, begun: number, failure?: string): void {
    const millis = Math.round((performance.now() - begun) * 1000) / 1000;
    this.logger.debug(sql.replaceAll(/\s+/g, ' ').trim(), { millis, ...(failure !== undefined && { failure }) });
  }
}
