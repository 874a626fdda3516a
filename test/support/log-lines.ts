import type { Appender, LogLine } from '../../src/logging/log-line.js';

/** Keeps what is logged. */
export class LogLines implements Appender {
  private readonly kept: LogLine[] = [];

  get all(): readonly LogLine[] {
    return this.kept;
  }

  append(line: LogLine): void {
    this.kept.push(line);
  }

  of(logger: string): readonly LogLine[] {
    return this.kept.filter((line) => line.logger === logger);
  }
}
