import type { Charset } from '../../../kernel/encoding/charset.js';

/** The target of a line: a file, and the day of its lines. */
export interface BatchDestination {
  readonly file: string;
  /** `yyyy-MM-dd` in the zone of the process. */
  readonly day: string;
  /** UTF-8 by default. */
  readonly charset?: Charset;
}

/** Waiting lines for one file and day, oldest first; each includes its line break. */
export class Batch {
  readonly lines: string[] = [];
  /** Total length in characters. */
  size = 0;
  /** Number of leading lines that were passed to the system and are not confirmed yet. */
  issued = 0;

  constructor(readonly destination: BatchDestination) {}

  add(line: string): void {
    this.lines.push(line);
    this.size += line.length;
  }

  /** Removes the first `written` lines, which are in the file; the others are written again. */
  settle(written: number): void {
    for (const line of this.lines.splice(0, written)) this.size -= line.length;
    this.issued = 0;
  }
}
