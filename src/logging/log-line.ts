import type { LineLevel } from './level.js';
import type { LogContext } from './log-context.js';

/** Facts of a line beside its message; those named like secrets are masked by whoever writes the line. */
export type LogFields = Readonly<Record<string, unknown>>;

/** One line before it has a form. */
export interface LogLine {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly level: LineLevel;
  readonly logger: string;
  readonly message: string;
  /** Name of the task it was written in, or `main`. */
  readonly thread: string;
  /** Of the request it was written in. */
  readonly context?: LogContext | undefined;
  readonly fields?: LogFields | undefined;
  /** What was thrown, with its causes. */
  readonly error?: unknown;
}

/** Writes lines somewhere, at once or later. It must neither throw nor block. */
export interface Appender {
  append(line: LogLine): void;
}

/**
 * Gives a line its form, with secrets masked and nothing in it that could forge another; a pattern decides whether it
 * ends with a line break.
 */
export type LineFormat = (line: LogLine) => string;
