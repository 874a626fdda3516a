import { type Clock, SystemClock } from '../../kernel/clock/clock.js';
import type { Level } from './level.js';
import { logContext, threadName } from './log-context.js';
import type { Appender } from './log-line.js';
import { Logger, type Write } from './logger.js';

/** The name of the logger from which all others inherit. */
export const ROOT = 'ROOT';
const ROOT_LEVEL: Level = 'INFO';

/** The loggers of the process as a tree by the dots in their names; without appenders it is silent. */
export class Loggers {
  private readonly byName = new Map<string, Logger>();
  private readonly root: Logger;
  private readonly write: Write;

  constructor(appenders: readonly Appender[] = [], clock: Clock = new SystemClock()) {
    this.write = (level, logger, message, fields, error) => {
      if (appenders.length === 0) return;
      const at = clock.millis();
      const line = { at, level, logger, message, thread: threadName(), context: logContext(), fields, error };
      for (const appender of appenders) appender.append(line);
    };
    this.root = new Logger(ROOT, this.write);
    this.root.configuredLevel = ROOT_LEVEL;
    this.byName.set(ROOT, this.root);
  }

  /** `ROOT` first, the others by name. */
  get all(): readonly Logger[] {
    const others = [...this.byName.values()].filter((logger) => logger !== this.root);
    return [this.root, ...others.sort((a, b) => (a.name < b.name ? -1 : 1))];
  }

  /** The logger of this name, created if it does not exist. */
  get(name: string): Logger {
    const known = this.find(name);
    if (known) return known;
    const logger = new Logger(name, this.write);
    this.byName.set(name, logger);
    logger.follow(this.inherited(name));
    return logger;
  }

  /** Returns a logger only if it exists. */
  find(name: string): Logger | undefined {
    return this.byName.get(isRoot(name) ? ROOT : name);
  }

  /** Sets a level from the next line on; undefined restores inheritance, and for `ROOT` the initial level. */
  setLevel(name: string, level: Level | undefined): void {
    const logger = this.get(name);
    logger.configuredLevel = level ?? (logger === this.root ? ROOT_LEVEL : undefined);
    for (const each of this.byName.values()) each.follow(each.configuredLevel ?? this.inherited(each.name));
  }

  /** Returns the level that a logger of this name inherits. */
  inherited(name: string): Level {
    for (let end = name.lastIndexOf('.'); end > 0; end = name.lastIndexOf('.', end - 1)) {
      const level = this.byName.get(name.slice(0, end))?.configuredLevel;
      if (level !== undefined) return level;
    }
    return this.root.configuredLevel ?? ROOT_LEVEL;
  }
}

export function isRoot(name: string): boolean {
  return name.toUpperCase() === ROOT;
}
