import type { Logger } from '../../../observability/logging/logger.js';
import type { Loggers } from '../../../observability/logging/loggers.js';
import { classifyFailure, driverCode } from '../engines/driver-failure.js';
import { MASK } from '../../../kernel/redaction/secrets.js';
import { isSecretColumn } from '../../../kernel/redaction/secrets.js';
import type { Rendering } from './rendering.js';

/** Logger `mapper.<namespace>.<id>`: at `DEBUG` the statement, its values and the number of rows, at `TRACE` the rows. */
export class MapperLog {
  private readonly logger: Logger;

  constructor(loggers: Loggers, statement: string) {
    this.logger = loggers.get(`mapper.${statement}`);
  }

  get isEnabled(): boolean {
    return this.logger.isEnabled('DEBUG');
  }

  /** Runs a statement and logs it, whether or not it succeeds; `count` gives the number of rows of a result. */
  async log<T>(rendering: Rendering, run: () => Promise<T>, count: (result: T) => number): Promise<T> {
    const begun = performance.now();
    try {
      const result = await run();
      this.write(rendering, begun, { rows: count(result) });
      if (Array.isArray(result)) this.rows(result as readonly object[]);
      return result;
    } catch (error) {
      this.write(rendering, begun, { failure: classifyFailure(error) ?? driverCode(error) });
      throw error;
    }
  }

  /** A statement that an engine could not cancel. */
  overrun(millis: number, limit: number): void {
    const fields = { millis: Math.round(millis), limit };
    this.logger.warn('A statement took longer than its limit; the embedded database cannot cancel it', fields);
  }

  private write({ sql, bound }: Rendering, begun: number, result: object): void {
    const millis = Math.round((performance.now() - begun) * 1000) / 1000;
    this.logger.debug(sql.trim(), { parameters: shown(bound), ...result, millis });
  }

  private rows(rows: readonly object[]): void {
    if (!this.logger.isEnabled('TRACE')) return;
    for (const row of rows) {
      const columns = (Object.entries(row) as [string, unknown][]).map(([name, value]) => ({ name, value }));
      this.logger.trace('Row', { row: shown(columns) });
    }
  }
}

/** Values by name, with secrets masked; the appender masks texts in the form of secrets. */
function shown(values: readonly { readonly name: string; readonly value: unknown }[]): object {
  return Object.fromEntries(
    values.map(({ name, value }) => [name, value !== null && isSecretColumn(name) ? MASK : value]),
  );
}
