import type { Clock } from '../../kernel/clock/clock.js';

const WINDOW_MILLIS = 60_000;
const WINDOWS = 3;
const NOTHING = -Infinity;

/** The largest number of the last two to three minutes; 0 without a number. */
export class RecentMax {
  /** The current window first. */
  private readonly windows = new Array<number>(WINDOWS).fill(NOTHING);
  private present: number;

  constructor(private readonly clock: Clock) {
    this.present = this.windowNow();
  }

  get value(): number {
    this.turn();
    const largest = Math.max(...this.windows);
    return largest === NOTHING ? 0 : largest;
  }

  take(amount: number): void {
    this.turn();
    const [largest = NOTHING] = this.windows;
    if (amount > largest) this.windows[0] = amount;
  }

  private turn(): void {
    const now = this.windowNow();
    if (now === this.present) return;
    // Resets if the clock was set back: a maximum of the future would stay until the clock reaches it again.
    const passed = now > this.present ? Math.min(now - this.present, WINDOWS) : WINDOWS;
    for (let step = 0; step < passed; step++) {
      this.windows.pop();
      this.windows.unshift(NOTHING);
    }
    this.present = now;
  }

  private windowNow(): number {
    return Math.floor(this.clock.millis() / WINDOW_MILLIS);
  }
}
