import { isatty } from 'node:tty';
import { SystemClock } from './clock/clock.js';
import type { Configuration, ConfigurationInputs } from './config/configuration.js';
import { ConsoleAppender } from './logging/console-appender.js';
import { LineMeters } from './logging/line-meters.js';
import { threadName } from './logging/log-context.js';
import { type Level, levelOf } from './logging/level.js';
import type { LineFormat, LogLine } from './logging/log-line.js';
import { LogLevels } from './logging/log-levels.js';
import { Loggers } from './logging/loggers.js';
import { LoggingPatternProperties } from './logging/logging-pattern.properties.js';
import { LoggingProperties } from './logging/logging.properties.js';
import { descriptor, Output } from './logging/output.js';
import { compilePattern } from './logging/pattern.js';
import { Meters } from './metrics/meters.js';

const STANDARD_OUTPUT = 1;

/** Where the process says what it does, made by its configuration. */
export class Logs {
  readonly loggers: Loggers;
  readonly levels: LogLevels;
  readonly meters = new Meters();
  private readonly output: Output;

  constructor(configuration: Configuration, { variables }: Pick<ConfigurationInputs, 'variables'>) {
    const format = consoleFormat(configuration, isatty(STANDARD_OUTPUT) && !variables['NO_COLOR']);
    this.output = new Output({
      destination: descriptor(STANDARD_OUTPUT),
      lostText: (lines) => format(lostLine(lines)),
    });
    this.loggers = new Loggers([new LineMeters(this.meters), new ConsoleAppender(format, this.output)]);
    const { level, group } = configuration.get(LoggingProperties);
    this.levels = new LogLevels(this.loggers, { levels: levelsOf(level), groups: group });
  }

  /** A text for whoever starts the service, and for no file: it has no form, and what is secret in it stays. */
  tellRaw(text: string): void {
    this.output.add(`${text}\n`);
  }

  /** What can be written without waiting, for a process that ends this moment. */
  flushNow(): void {
    this.output.flushNow();
  }

  /** Resolves when everything is written, or cannot be, and after `limitMillis` at the latest. */
  flush(limitMillis: number): Promise<void> {
    return this.output.flush(limitMillis);
  }
}

function consoleFormat(configuration: Configuration, hasColor: boolean): LineFormat {
  return compilePattern(configuration.get(LoggingPatternProperties).console, { hasColor });
}

function lostLine(lines: number): LogLine {
  const message = `${lines === 1 ? '1 line was' : `${lines} lines were`} lost: nobody read them in time`;
  return { at: new SystemClock().millis(), level: 'WARN', logger: 'logging', message, thread: threadName() };
}

function levelsOf(configured: ReadonlyMap<string, string>): ReadonlyMap<string, Level> {
  return new Map([...configured].map(([name, word]) => [name, levelOf(word) ?? 'INFO']));
}
