import type { Appender, LineFormat, LogLine } from './log-line.js';
import type { Output } from './output.js';

/** Writes lines to standard output. */
export class ConsoleAppender implements Appender {
  constructor(
    private readonly format: LineFormat,
    private readonly output: Output,
  ) {}

  append(line: LogLine): void {
    this.output.add(formed(this.format, line));
  }
}

/** With its end, also where the pattern has no %n. A line that cannot be formed must not end what wanted to write it. */
export function formed(format: LineFormat, line: LogLine): string {
  let text: string;
  try {
    text = format(line);
  } catch {
    text = format({ ...line, message: 'a line that cannot be shown', fields: undefined, error: undefined });
  }
  return text.endsWith('\n') ? text : `${text}\n`;
}
