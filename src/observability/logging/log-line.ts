import type { LineLevel } from './level.js';
import type { LogContext } from './log-context.js';

/** Fields of a line besides its message; the appender masks those with names of secrets. */
export type LogFields = Readonly<Record<string, unknown>>;

/** A line before formatting. */
export interface LogLine {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly level: LineLevel;
  readonly logger: string;
  readonly message: string;
  /** Name of the task it was written in, or `main`. */
  readonly thread: string;
  /** Context of the request that wrote the line. */
  readonly context?: LogContext | undefined;
  readonly fields?: LogFields | undefined;
  /** The thrown value, with its causes. */
  readonly error?: unknown;
}

/** Writes lines to a destination, at once or later. It must neither throw nor block. */
export interface Appender {
  append(line: LogLine): void;
}

/**
 * Formats a line, with secrets masked and all characters escaped that could forge another line. A pattern decides
 * whether the result ends with a line break.
 */
export type LineFormat = (line: LogLine) => string;
