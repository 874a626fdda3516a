import { Clock } from '../../../src/kernel/clock/clock.js';

/** A clock that stands still until a test moves it. */
export class ManualClock extends Clock {
  private now: number;

  constructor(epochSeconds = 1_800_000_000) {
    super();
    this.now = epochSeconds * 1000;
  }

  millis(): number {
    return this.now;
  }

  /** Moves ahead, or back by a negative number of seconds. */
  advance(seconds: number): void {
    this.now += seconds * 1000;
  }

  set(epochSeconds: number): void {
    this.now = epochSeconds * 1000;
  }
}
