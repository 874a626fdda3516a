import { type Level, type LineLevel, VERBOSITY } from './level.js';
import type { LogFields } from './log-line.js';

/** Receives the lines of all loggers. */
export type Write = (level: LineLevel, logger: string, message: string, fields?: LogFields, error?: unknown) => void;

/** Fields of a line, and the thrown value in `error`; a bare error does not compile. */
export type LogDetails = LogFields & { readonly error?: unknown };

/** Writes the log lines of one part of the service; names are separated by dots, such as `auth.mfa`. */
export class Logger {
  /** The level set for this logger; undefined if it inherits the level of its nearest ancestor. */
  configuredLevel: Level | undefined;
  private level: Level = 'INFO';
  private verbosity = VERBOSITY.INFO;

  constructor(
    readonly name: string,
    private readonly write: Write,
  ) {}

  /** The level in force. */
  get effectiveLevel(): Level {
    return this.level;
  }

  /** `Loggers` sets the effective level at each change, so that a line that is not written costs one comparison. */
  follow(level: Level): void {
    this.level = level;
    this.verbosity = VERBOSITY[level];
  }

  isEnabled(level: LineLevel): boolean {
    return VERBOSITY[level] <= this.verbosity;
  }

  /** Writes a line whatever the level of the logger, so that a change of a level cannot hide itself. */
  always(level: LineLevel, message: string, fields?: LogFields): void {
    this.write(level, this.name, message, fields);
  }

  error(message: string, details?: LogDetails): void {
    if (this.verbosity >= VERBOSITY.ERROR) this.writeWithError('ERROR', message, details);
  }

  warn(message: string, details?: LogDetails): void {
    if (this.verbosity >= VERBOSITY.WARN) this.writeWithError('WARN', message, details);
  }

  info(message: string, fields?: LogFields): void {
    if (this.verbosity >= VERBOSITY.INFO) this.write('INFO', this.name, message, fields);
  }

  debug(message: string, fields?: LogFields): void {
    if (this.verbosity >= VERBOSITY.DEBUG) this.write('DEBUG', this.name, message, fields);
  }

  trace(message: string, fields?: LogFields): void {
    if (this.verbosity >= VERBOSITY.TRACE) this.write('TRACE', this.name, message, fields);
  }

  private writeWithError(level: LineLevel, message: string, details?: LogDetails): void {
    if (!details || !('error' in details)) {
      this.write(level, this.name, message, details);
      return;
    }
    const { error, ...fields } = details;
    this.write(level, this.name, message, Object.keys(fields).length > 0 ? fields : undefined, error);
  }
}
