import { type Level, type LineLevel, LOUDNESS } from './level.js';
import type { LogFields } from './log-line.js';

/** Takes the lines of all loggers. */
export type Write = (level: LineLevel, logger: string, message: string, fields?: LogFields, error?: unknown) => void;

/** Where one part of the service says what it does; names are separated by dots, such as `auth.mfa`. */
export class Logger {
  /** Of its own; undefined where it follows its nearest ancestor. */
  configuredLevel: Level | undefined;
  private level: Level = 'INFO';
  private loudness = LOUDNESS.INFO;

  constructor(
    readonly name: string,
    private readonly write: Write,
  ) {}

  /** The level that counts. */
  get effectiveLevel(): Level {
    return this.level;
  }

  /** Set by the tree whenever a level changes, so that a line that is not written costs one comparison. */
  follow(level: Level): void {
    this.level = level;
    this.loudness = LOUDNESS[level];
  }

  isEnabled(level: LineLevel): boolean {
    return LOUDNESS[level] <= this.loudness;
  }

  /** Writes a line whatever the level of the logger is: no change of a level may hide itself. */
  always(level: LineLevel, message: string, fields?: LogFields): void {
    this.write(level, this.name, message, fields);
  }

  /** `error` is what was thrown, where that is the reason. */
  error(message: string, error?: unknown, fields?: LogFields): void {
    if (this.loudness >= LOUDNESS.ERROR) this.write('ERROR', this.name, message, fields, error);
  }

  warn(message: string, error?: unknown, fields?: LogFields): void {
    if (this.loudness >= LOUDNESS.WARN) this.write('WARN', this.name, message, fields, error);
  }

  info(message: string, fields?: LogFields): void {
    if (this.loudness >= LOUDNESS.INFO) this.write('INFO', this.name, message, fields);
  }

  debug(message: string, fields?: LogFields): void {
    if (this.loudness >= LOUDNESS.DEBUG) this.write('DEBUG', this.name, message, fields);
  }

  trace(message: string, fields?: LogFields): void {
    if (this.loudness >= LOUDNESS.TRACE) this.write('TRACE', this.name, message, fields);
  }
}
