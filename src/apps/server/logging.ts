import { isatty } from 'node:tty';
import { SystemClock } from '../../kernel/clock/clock.js';
import type { Configuration, ConfigurationInputs } from '../../config/configuration.js';
import { charsetNamed } from '../../kernel/encoding/charset.js';
import { type LogFileSetup, type LogSetup, logSetup } from './log-setup.js';
import { ConsoleAppender, formatLine } from '../../observability/logging/appenders.js';
import type { FileAppender } from '../../observability/logging/file/file-appender.js';
import { type Level, levelOf } from '../../observability/logging/level.js';
import { lineFormat } from '../../observability/logging/format/line-format.js';
import { LineMeters } from '../../observability/logging/appenders.js';
import { threadName } from '../../observability/logging/log-context.js';
import { LogFile } from '../../observability/logging/logging.module.js';
import { LogLevels } from '../../observability/logging/log-levels.js';
import type { LogLine } from '../../observability/logging/log-line.js';
import type { Logger } from '../../observability/logging/logger.js';
import { Loggers } from '../../observability/logging/loggers.js';
import { LoggingPatternProperties } from '../../observability/logging/logging.properties.js';
import { descriptor, Output } from '../../observability/logging/output.js';
import { Meters } from '../../observability/metrics/meters.js';

const STANDARD_OUTPUT = 1;
/** Limit for writing the last lines to the console. */
const LAST_LINES_MILLIS = 2000;

/** The log of the process, set up by the configuration. */
export class Logging {
  readonly meters = new Meters();
  readonly loggers: Loggers;
  /** Logger for startup and shutdown. */
  readonly start: Logger;
  readonly levels: LogLevels;
  readonly logFile: LogFile;

  private constructor(
    { console, file: fileSetup, levels, groups }: LogSetup,
    private readonly output: Output,
    consoleAppender: ConsoleAppender,
    private readonly file: FileAppender | undefined,
  ) {
    const appenders = [new LineMeters(this.meters), ...(console ? [consoleAppender] : []), ...(file ? [file] : [])];
    this.logFile = new LogFile(file?.path, fileSetup?.form.charset);
    this.loggers = new Loggers(appenders);
    this.start = this.loggers.get('start');
    this.levels = new LogLevels(this.loggers, { levels: levelsOf(levels), groups });
  }

  /** @throws ConfigurationFailure if the file of `logging.config` cannot be used */
  static async open(configuration: Configuration, inputs: ConfigurationInputs): Promise<Logging> {
    const setup = logSetup(configuration, inputs);
    const hasColor = isatty(STANDARD_OUTPUT) && !inputs.variables['NO_COLOR'];
    const form = setup.console ?? { pattern: new LoggingPatternProperties().console, charset: 'UTF-8' };
    const format = lineFormat(form, { hasColor });
    const output = new Output({
      destination: descriptor(STANDARD_OUTPUT),
      charset: charsetNamed(form.charset),
      lostText: (lines) => formatLine(format, lostLine(lines)),
    });
    const appender = new ConsoleAppender(format, output);
    // Problems of the log file go to the console, even if the console is otherwise off.
    const aside = new Loggers([appender]).get('logging');
    const file = setup.file && (await fileOf(setup.file, aside));
    const logs = new Logging(setup, output, appender, file);
    void file?.open();
    for (const warning of setup.warnings) logs.loggers.get('logging').warn(warning);
    return logs;
  }

  /** Writes a text to the console only, without format and without masking of secrets. */
  writeRaw(text: string): void {
    this.output.add(`${text}\n`);
  }

  /** Writes as much as possible without waiting, for a process that is about to end. */
  flushNow(): void {
    this.output.flushNow();
  }

  /** Flushes the log when the process ends, and logs an uncaught error that ends it. */
  installCrashHandler(): void {
    process.on('exit', () => {
      this.flushNow();
    });
    let isEnding = false;
    process.on('uncaughtException', (error, origin) => {
      const what = origin === 'unhandledRejection' ? 'An unhandled rejection' : 'An uncaught error';
      this.loggers.get('server').error(`${what} ends the service`, { error });
      if (isEnding) return;
      isEnding = true;
      void this.close().finally(() => process.exit(1));
    });
  }

  /** Resolves when everything is written or cannot be written. */
  async close(): Promise<void> {
    await Promise.all([this.output.flush(LAST_LINES_MILLIS), this.file?.close()]);
  }
}

/** Loads the file appender only if a file is configured. */
async function fileOf({ form, ...setup }: LogFileSetup, aside: Logger): Promise<FileAppender> {
  const { FileAppender } = await import('../../observability/logging/file/file-appender.js');
  return new FileAppender({
    ...setup,
    format: lineFormat(form, { hasColor: false }),
    charset: charsetNamed(form.charset),
    clock: new SystemClock(),
    warn: (text) => {
      aside.warn(text);
    },
  });
}

function lostLine(lines: number): LogLine {
  const message = `${lines === 1 ? '1 line was' : `${lines} lines were`} lost: the output was not read in time`;
  return { at: new SystemClock().millis(), level: 'WARN', logger: 'logging', message, thread: threadName() };
}

function levelsOf(configured: ReadonlyMap<string, string>): ReadonlyMap<string, Level> {
  // YAML reads `off` as `false`.
  return new Map([...configured].map(([name, text]) => [name, text === 'false' ? 'OFF' : (levelOf(text) ?? 'INFO')]));
}
