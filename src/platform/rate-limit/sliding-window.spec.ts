import { describe, expect, it } from 'vitest';
import { fc } from '../../../test/support/runner/property.js';
import { countsAt, decide, type WindowCounts } from './sliding-window.js';

const WINDOW = 60_000;
const START = 1_800_000_000_000 - (1_800_000_000_000 % WINDOW);

/** One replica after the other, each with its own clock, on the same counts. */
class Counted {
  private counts: WindowCounts | undefined;

  constructor(private readonly quota: number) {}

  take(now: number, hits = 1) {
    const counts = countsAt(this.counts, now, WINDOW);
    const verdict = decide(counts, now, { key: 'key', quota: this.quota, windowMillis: WINDOW, hits });
    this.counts = { ...counts, current: counts.current + verdict.admitted };
    return verdict;
  }
}

describe('the sliding window', () => {
  it('admits as many hits as the quota, and then none', () => {
    const counted = new Counted(5);

    const admitted = Array.from({ length: 8 }, (_, second) => counted.take(START + second * 1000).admitted);

    expect(admitted).toEqual([1, 1, 1, 1, 1, 0, 0, 0]);
  });

  it('frees the hits of the window before evenly', () => {
    const counted = new Counted(4);
    counted.take(START + WINDOW - 1, 4);

    const atStart = counted.take(START + WINDOW);
    const halfway = counted.take(START + 1.5 * WINDOW, 4);

    expect(atStart.admitted).toBe(0);
    expect(halfway.admitted).toBe(2);
  });

  it('says how long to wait: a hit then is admitted, and one shortly before is not', () => {
    const attempts = fc.array(fc.integer({ min: 0, max: WINDOW }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(attempts, fc.integer({ min: 1, max: 10 }), (pauses, quota) => {
        const counted = new Counted(quota);
        const waited: (readonly number[])[] = [];
        let now = START;
        for (const pause of pauses) {
          now += pause;
          const { admitted, retryMillis } = counted.take(now);
          if (admitted === 1) continue;
          const shortlyBefore = retryMillis > 2 ? counted.take(now + retryMillis - 2).admitted : 0;
          now += retryMillis + 1;
          waited.push([shortlyBefore, counted.take(now).admitted]);
        }
        expect(waited).toEqual(waited.map(() => [0, 1]));
      }),
    );
  });

  it('admits at most twice the quota in any time as long as the window', () => {
    const attempts = fc.array(fc.integer({ min: 0, max: WINDOW / 4 }), { maxLength: 80 });
    fc.assert(
      fc.property(attempts, fc.integer({ min: 1, max: 10 }), (pauses, quota) => {
        const counted = new Counted(quota);
        const admittedAt: number[] = [];
        let now = START;
        for (const pause of pauses) {
          now += pause;
          if (counted.take(now).admitted === 1) admittedAt.push(now);
        }
        for (const from of admittedAt) {
          expect(admittedAt.filter((at) => at >= from && at < from + WINDOW).length).toBeLessThanOrEqual(2 * quota);
        }
      }),
    );
  });

  it('clocks of replicas that differ by 2 seconds neither forget hits nor admit more', () => {
    const counted = new Counted(5);
    const [ahead, behind] = [START + WINDOW + 1000, START + WINDOW - 1000];

    const admitted = [ahead, behind, ahead, behind, ahead, behind, ahead].map((now) => counted.take(now).admitted);

    expect(admitted).toEqual([1, 1, 1, 1, 1, 0, 0]);
  });
});
