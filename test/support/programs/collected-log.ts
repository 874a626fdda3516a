import type { LogLine } from '../../../src/observability/logging/log-line.js';
import { Loggers } from '../../../src/observability/logging/loggers.js';
import { compilePattern } from '../../../src/observability/logging/pattern/pattern.js';

const write = compilePattern('%level %logger [%X{requestId}] %msg%n%ex', { hasColor: false });

/** Loggers that collect their lines for a test. */
export class CollectedLog {
  readonly lines: LogLine[] = [];
  readonly loggers = new Loggers([{ append: (line) => this.lines.push(line) }]);

  of(logger: string): readonly LogLine[] {
    return this.lines.filter((line) => line.logger === logger);
  }

  /** Each line as `LEVEL message`. */
  get messages(): readonly string[] {
    return this.lines.map(({ level, message }) => `${level} ${message}`);
  }

  /** Each complete line: `LEVEL logger [request id] message`, then the error. */
  get texts(): readonly string[] {
    return this.lines.map(write);
  }
}
