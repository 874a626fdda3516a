import type { Counter } from '../metrics/meter.js';
import type { Meters } from '../metrics/meters.js';
import { LEVELS, type LineLevel } from './level.js';
import type { Appender, LogLine } from './log-line.js';

/** Counts the lines of the log by level (management API, 5.3). */
export class LineMeters implements Appender {
  private readonly counters: ReadonlyMap<LineLevel, Counter>;

  constructor(meters: Meters) {
    const family = meters.counter('engine.events', { description: 'Lines of the log' });
    const levels = LEVELS.filter((level) => level !== 'OFF');
    // All of them from the start, so that the first error is a rise.
    this.counters = new Map(levels.map((level) => [level, family.of({ level: level.toLowerCase() })]));
  }

  append({ level }: LogLine): void {
    this.counters.get(level)?.increment();
  }
}
