import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Clock } from '../clock/clock.js';
import { type Measurement, Timer } from './meter.js';

/** More often would wake an idle process more often; of a stop of half that length, half is seen. */
const EVERY_MILLIS = 50;
const FOLD_MILLIS = 30_000;

/** How much later than asked the event loop comes to a timer: that long every request waits, too. */
export class EventLoopLag extends Timer {
  /** Node measures and sums up, and would keep its maximum for good. */
  private readonly recent = monitorEventLoopDelay({ resolution: EVERY_MILLIS });
  private readonly folding: NodeJS.Timeout;

  constructor(clock: Clock) {
    super(clock);
    this.recent.enable();
    this.folding = setInterval(() => this.fold(), FOLD_MILLIS).unref();
  }

  override measure(): readonly Measurement[] {
    const { count, total, largest } = this.recently();
    return super.measure().map(({ statistic, value }) => {
      if (statistic === 'MAX') return { statistic, value: Math.max(value, largest) };
      return { statistic, value: value + (statistic === 'COUNT' ? count : total) };
    });
  }

  /** Takes over what Node has. Not whenever somebody asks: Node does not see the interval after it. */
  fold(): void {
    const { count, total, largest } = this.recently();
    if (count > 0) this.take(count, total, largest);
    this.recent.reset();
  }

  stop(): void {
    clearInterval(this.folding);
    this.recent.disable();
  }

  private recently(): { readonly count: number; readonly total: number; readonly largest: number } {
    const { count, mean, max } = this.recent;
    return { count, total: count === 0 ? 0 : lag(mean) * count, largest: lag(max) };
  }
}

/** Seconds above the interval, which Node's numbers, in nanoseconds, contain. */
function lag(nanos: number): number {
  return Math.max(0, nanos / 1e9 - EVERY_MILLIS / 1000);
}
