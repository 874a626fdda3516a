import type { Logger } from '../../../observability/logging/logger.js';
import { classifyFailure, driverCode } from '../engines/driver-failure.js';
import { isSecretColumn, MASK } from '../../../kernel/redaction/secrets.js';
import type { BoundValue, Sql } from './sql-text.js';

/** Logs one statement: at `DEBUG` its text, its values and the number of its rows, at `TRACE` also the rows. */
export class MapperLog {
  constructor(private readonly logger: Logger) {}

  /** Runs a statement and logs it, whether or not it succeeds; `count` returns the number of rows of a result. */
  async log<T>(sql: Sql, run: () => Promise<T>, count: (result: T) => number): Promise<T> {
    if (!this.logger.isEnabled('DEBUG')) return run();
    const begun = performance.now();
    try {
      const result = await run();
      this.write(sql, begun, { rows: count(result) });
      if (Array.isArray(result)) this.rows(result as readonly object[]);
      return result;
    } catch (error) {
      this.write(sql, begun, { failure: classifyFailure(error) ?? driverCode(error) });
      throw error;
    }
  }

  /** Runs a statement of the embedded database, which cannot be canceled, and warns if it took longer than its limit. */
  async timed<T>(limit: number, run: () => Promise<T>): Promise<T> {
    const begun = performance.now();
    // The statement has ended when the call returns, so the wait for other work is not counted.
    const result = run();
    const millis = Math.round(performance.now() - begun);
    const text = 'A statement took longer than its limit; the embedded database cannot cancel it';
    if (millis > limit) this.logger.warn(text, { millis, limit });
    return result;
  }

  private write({ text, bound }: Sql, begun: number, result: object): void {
    const millis = Math.round((performance.now() - begun) * 1000) / 1000;
    this.logger.debug(text.replaceAll(/\s+/g, ' '), { parameters: shown(bound), ...result, millis });
  }

  private rows(rows: readonly object[]): void {
    if (!this.logger.isEnabled('TRACE')) return;
    for (const row of rows) {
      const columns = (Object.entries(row) as [string, BoundValue['value']][]).map(([name, value]) => ({
        name,
        value,
      }));
      this.logger.trace('Row', { row: shown(columns) });
    }
  }
}

/** Values by name, with secrets masked; the appender masks texts in the form of secrets. */
function shown(values: readonly BoundValue[]): object {
  return Object.fromEntries(
    values.map(({ name, value }) => [name, value !== null && isSecretColumn(name) ? MASK : value]),
  );
}
