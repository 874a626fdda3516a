import type { Counter } from '../metrics/meter.js';
import type { Meters } from '../metrics/meters.js';
import { LEVELS, type LineLevel } from './level.js';
import type { Appender, LineFormat, LogLine } from './log-line.js';
import type { Output } from './output.js';

/** Writes lines to standard output. */
export class ConsoleAppender implements Appender {
  constructor(
    private readonly format: LineFormat,
    private readonly output: Output,
  ) {}

  append(line: LogLine): void {
    this.output.add(formatLine(this.format, line));
  }
}

/**
 * Formats a line with a line break at its end, even if the pattern has no `%n`. A formatting error must not reach the code that
 * logs.
 */
export function formatLine(format: LineFormat, line: LogLine): string {
  let text: string;
  try {
    text = format(line);
  } catch {
    text = format({ ...line, message: 'a line that cannot be shown', fields: undefined, error: undefined });
  }
  return text.endsWith('\n') ? text : `${text}\n`;
}

/** Counts the lines of the log by level (management API, 5.3). */
export class LineMeters implements Appender {
  private readonly counters: ReadonlyMap<LineLevel, Counter>;

  constructor(meters: Meters) {
    const family = meters.counter('engine.events', { description: 'Lines of the log' });
    const levels = LEVELS.filter((level) => level !== 'OFF');
    // All series exist from the start, so that the first error is an increase.
    this.counters = new Map(levels.map((level) => [level, family.of({ level: level.toLowerCase() })]));
  }

  append({ level }: LogLine): void {
    this.counters.get(level)?.increment();
  }
}
