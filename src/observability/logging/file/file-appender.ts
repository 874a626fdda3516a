import { withTimeout } from '../../../kernel/clock/with-timeout.js';
import type { Clock } from '../../../kernel/clock/clock.js';
import type { Charset } from '../../../kernel/encoding/charset.js';
import { withoutContext } from '../log-context.js';
import { Archives, type Retention } from './archives.js';
import { dayAt } from './day.js';
import { CLOSE_MILLIS, LineWriter } from './line-writer.js';
import { formatLine } from '../appenders.js';
import type { Appender, LineFormat, LogLine } from '../log-line.js';
import { RollingFile } from './rolling-file.js';

export interface FileAppenderOptions extends Retention {
  /** Relative to the working folder unless it starts with `/`. */
  readonly file: string;
  readonly format: LineFormat;
  readonly charset: Charset;
  readonly maxFileBytes: number;
  /** A pattern for `archivePattern`; archives are beside the file if it is undefined. */
  readonly fileNamePattern: string | undefined;
  readonly cleanHistoryOnStart: boolean;
  readonly clock: Clock;
  /** Receives warnings about the file. */
  readonly warn: (text: string) => void;
}

/** Writes lines to a file that is rotated by day and size; archives are compressed and deleted in the background. */
export class FileAppender implements Appender {
  /** Absolute path of the file. */
  readonly path: string;
  private readonly format: LineFormat;
  private readonly clock: Clock;
  private readonly cleanHistoryOnStart: boolean;
  private readonly archives: Archives;
  private readonly writer: LineWriter;

  constructor({
    file,
    format,
    charset,
    maxFileBytes,
    fileNamePattern,
    cleanHistoryOnStart,
    ...rest
  }: FileAppenderOptions) {
    const { clock } = rest;
    // The warning is unrelated to the request whose line happens to wait.
    const warn = (text: string): void => {
      withoutContext(() => {
        rest.warn(text);
      });
    };
    this.format = format;
    this.clock = clock;
    this.cleanHistoryOnStart = cleanHistoryOnStart;
    this.archives = new Archives({ ...rest, warn, pattern: fileNamePattern ?? `${file}.%d{yyyy-MM-dd}.%i.gz` });
    const target = new RollingFile({ file, charset, maxFileBytes, archives: this.archives, clock, warn });
    this.path = target.path;
    this.writer = new LineWriter({ name: 'log file', target, clock, warn });
  }

  /** Creates folder and file, and compresses archives that an earlier run left. */
  open(): Promise<void> {
    this.archives.open(dayAt(this.clock.millis()), this.cleanHistoryOnStart);
    return this.writer.open();
  }

  append(line: LogLine): void {
    this.writer.add(formatLine(this.format, line), line.at, line.level === 'ERROR');
  }

  /** Writes all waiting lines; uncompressed archives are left to the next start. */
  async close(): Promise<void> {
    await this.writer.close();
    await withTimeout(this.archives.close(), CLOSE_MILLIS, () => undefined);
  }

  /** Waits for the work on archives. */
  tidied(): Promise<void> {
    return this.archives.settled();
  }
}
