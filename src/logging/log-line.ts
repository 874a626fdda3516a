import type { LineLevel } from './level.js';

/** Facts of a line beside its message; those named like secrets are masked by whoever writes the line. */
export type LogFields = Readonly<Record<string, unknown>>;

/** One line before it has a form. */
export interface LogLine {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly level: LineLevel;
  readonly logger: string;
  readonly message: string;
  readonly fields?: LogFields;
  /** What was thrown, with its causes. */
  readonly error?: unknown;
}

/** Writes lines somewhere. It must neither throw nor block. */
export interface Appender {
  append(line: LogLine): void;
}
