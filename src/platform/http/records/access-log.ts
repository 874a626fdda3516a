import { resolve } from 'node:path';
import { LineWriter } from '../../../observability/logging/file/line-writer.js';
import type { Logger } from '../../../observability/logging/logger.js';
import { withoutContext } from '../../../observability/logging/log-context.js';
import { type AccessRecord, lineWriter } from './access-line.js';
import type { AccessPattern } from './access-pattern.js';
import { DayFiles, type DayFilesOptions } from './day-files.js';

export interface AccessLogOptions extends Pick<DayFilesOptions, 'maxDays' | 'totalBytes' | 'clock'> {
  readonly pattern: AccessPattern;
  /** Folder of the files; relative to the working folder unless it starts with `/`. */
  readonly directory: string;
  readonly log: Logger;
}

/** Writes the access log of a listener to one file per day, and deletes old ones. */
export class AccessLog {
  private readonly lineOf: (record: AccessRecord) => string;
  private readonly writer: LineWriter;

  constructor({ pattern, directory, log, ...rest }: AccessLogOptions) {
    const warn = (text: string): void => {
      withoutContext(() => {
        log.warn(text);
      });
    };
    this.lineOf = lineWriter(pattern);
    const target = new DayFiles({ ...rest, folder: resolve(directory), warn });
    this.writer = new LineWriter({ name: 'access log', target, clock: rest.clock, warn });
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
