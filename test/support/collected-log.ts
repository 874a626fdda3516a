import type { LogLine } from '../../src/logging/log-line.js';
import { Loggers } from '../../src/logging/loggers.js';
import { compilePattern } from '../../src/logging/pattern.js';

const write = compilePattern('%level %logger [%X{requestId}] %msg%n%ex', { hasColor: false });

/** Loggers whose lines a test can look at. */
export class CollectedLog {
  readonly lines: LogLine[] = [];
  readonly loggers = new Loggers([{ append: (line) => this.lines.push(line) }]);

  /** Each line as `LEVEL message`. */
  get messages(): readonly string[] {
    return this.lines.map(({ level, message }) => `${level} ${message}`);
  }

  /** Each line with all that is in it, as an operator sees it: `LEVEL logger [request id] message`, then the error. */
  get texts(): readonly string[] {
    return this.lines.map(write);
  }
}
