import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Clock } from '../../kernel/clock/clock.js';
import { type Measurement, Timer } from './meter.js';

/** A shorter interval would wake an idle process more often; of a block half as long, half is measured. */
const EVERY_MILLIS = 50;
const FOLD_MILLIS = 30_000;

type Delays = Pick<ReturnType<typeof monitorEventLoopDelay>, 'count' | 'mean' | 'max' | 'enable' | 'disable' | 'reset'>;

/** The delay with which the event loop runs a timer; every request waits equally long. */
export class EventLoopLag extends Timer {
  private readonly folding: NodeJS.Timeout;
  /** Total delay in seconds since the last reading, as far as it was reported. */
  private recentTotal = 0;

  constructor(
    clock: Clock,
    /** Node measures and adds up, but never resets its maximum. */
    private readonly recent: Delays = monitorEventLoopDelay({ resolution: EVERY_MILLIS }),
  ) {
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

  /** Reads the values of Node; not at each request, since Node misses the interval after a reading. */
  fold(): void {
    const { count, total, largest } = this.recently();
    if (count > 0) this.take(count, total, largest);
    this.recent.reset();
    this.recentTotal = 0;
  }

  stop(): void {
    clearInterval(this.folding);
    this.recent.disable();
  }

  private recently(): { readonly count: number; readonly total: number; readonly largest: number } {
    const { count, mean, max } = this.recent;
    // The sample after a late one may be early and reduce the sum, which must not decrease.
    if (count > 0) this.recentTotal = Math.max(this.recentTotal, lag(mean) * count);
    return { count, total: this.recentTotal, largest: lag(max) };
  }
}

/** Converts a delay of Node in nanoseconds to seconds, without the sampling interval. */
function lag(nanos: number): number {
  return Math.max(0, nanos / 1e9 - EVERY_MILLIS / 1000);
}
