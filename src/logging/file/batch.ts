import type { Charset } from '../../encoding/charset.js';

/** The target of a line: a file, and the day of its lines. */
export interface Place {
  readonly file: string;
  /** `yyyy-MM-dd` in the zone of the process. */
  readonly day: string;
  /** UTF-8 where it is left out. */
  readonly charset?: Charset;
}

/** Lines on their way into one place, oldest first; each has its end. */
export class Batch {
  readonly lines: string[] = [];
  /** In characters. */
  size = 0;
  /** Number of leading lines that were passed to the system and are not confirmed yet. */
  issued = 0;

  constructor(readonly place: Place) {}

  add(line: string): void {
    this.lines.push(line);
    this.size += line.length;
  }

  /** As many from the first on are in the file; the others are to be written again. */
  settle(written: number): void {
    for (const line of this.lines.splice(0, written)) this.size -= line.length;
    this.issued = 0;
  }
}
