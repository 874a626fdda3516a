import { join, resolve } from 'node:path';
import type { Clock } from '../../clock/clock.js';
import { type Appended, appendLines } from '../../logging/file/append-lines.js';
import type { Batch, Place } from '../../logging/file/batch.js';
import { perDay } from '../../logging/file/day.js';
import { type LineTarget, LineWriter } from '../../logging/file/line-writer.js';
import type { Logger } from '../../logging/logger.js';
import { withoutContext } from '../../logging/log-context.js';
import { type AccessRecord, lineWriter } from './access-line.js';
import type { AccessPattern } from './access-pattern.js';

export interface AccessLogOptions {
  readonly pattern: AccessPattern;
  /** Relative to the working folder unless it starts with `/`. */
  readonly directory: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Writes the access log of a listener to one file per day. */
export class AccessLog {
  private readonly lineOf: (record: AccessRecord) => string;
  private readonly writer: LineWriter;

  constructor({ pattern, directory, clock, log }: AccessLogOptions) {
    this.lineOf = lineWriter(pattern);
    this.writer = new LineWriter({
      called: 'access log',
      target: new DayFiles(resolve(directory)),
      clock,
      warn: (text) => {
        withoutContext(() => {
          log.warn(text);
        });
      },
    });
  }

  /** Creates folder and file, so that startup fails if they cannot be written. */
  open(): Promise<void> {
    return this.writer.open();
  }

  /** Adds the line of a completed request. */
  record(record: AccessRecord): void {
    this.writer.add(`${this.lineOf(record)}\n`, record.endedAt);
  }

  /** Writes the buffered lines. */
  close(): Promise<void> {
    return this.writer.close();
  }
}

/** One file per day in the time zone of the process. */
class DayFiles implements LineTarget {
  readonly placeOf: (millis: number) => Place;
  /** The file whose last line is known to be complete. */
  private wholeFile: string | undefined;

  constructor(folder: string) {
    this.placeOf = perDay(({ text }) => ({ file: join(folder, `access_log.${text}.log`), day: text }));
  }

  async append(batch: Batch): Promise<Appended> {
    const { file } = batch.place;
    const appended = await appendLines(file, batch, { mayBeTorn: file !== this.wholeFile });
    this.wholeFile = 'error' in appended ? undefined : file;
    return appended;
  }
}
