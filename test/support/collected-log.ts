import { Loggers } from '../../src/logging/loggers.js';
import { compilePattern } from '../../src/logging/pattern.js';
import { LogLines } from './log-lines.js';

const write = compilePattern('%level %logger [%X{requestId}] %msg%n%ex', { hasColor: false });

/** Loggers whose lines a test reads as an operator does. */
export class CollectedLog {
  private readonly lines = new LogLines();
  readonly loggers = new Loggers([this.lines]);

  of(logger: string): readonly LogLine[] {
    return this.lines.filter((line) => line.logger === logger);
  }

  /** Each line as `LEVEL message`. */
  get messages(): readonly string[] {
    return this.lines.all.map(({ level, message }) => `${level} ${message}`);
  }

  /** Each line with all that is in it: `LEVEL logger [request id] message`, then the error. */
  get texts(): readonly string[] {
    return this.lines.all.map(write);
  }
}
