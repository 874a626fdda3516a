import { describe, expect, it } from 'vitest';
import { fc } from '../../../../test/support/runner/property.js';
import { HashTimes } from './hash-times.js';

const WORKERS = 2;

/** Times of two workers after `count` hashes of `millis` each. */
function after(count: number, millis: number): HashTimes {
  const times = new HashTimes(WORKERS);
  for (let done = 0; done < count; done += 1) times.record(millis);
  return times;
}

describe('the pace of the workers for password hashes', () => {
  it('is unknown before four hashes of each worker, which has just started', () => {
    expect(after(7, 10).pace).toBeUndefined();
    expect(after(8, 10).pace).toBe(5);
  });

  it('follows a step of the hash time in either direction within 16 hashes of each worker', () => {
    const times = after(100, 10);
    for (let done = 0; done < 32; done += 1) times.record(40);
    expect(times.pace).toBe(20);
    for (let done = 0; done < 32; done += 1) times.record(5);
    expect(times.pace).toBe(2.5);
  });

  it('forgets one slow hash after 16 more of each worker', () => {
    const times = after(32, 10);
    times.record(5000);
    for (let done = 0; done < 31; done += 1) times.record(10);
    expect(times.pace).toBeGreaterThan(100);
    times.record(10);
    expect(times.pace).toBe(5);
  });

  it('is slower for times that vary than for equal times of the same mean', () => {
    const varying = new HashTimes(WORKERS);
    for (let done = 0; done < 16; done += 1) [5, 15].forEach((millis) => varying.record(millis));

    expect(varying.pace).toBe(7.5);
    expect(after(32, 10).pace).toBe(5);
  });

  it('lies between what the slowest and the fastest of the latest hashes permit', () => {
    const millis = fc.array(fc.double({ min: 0.01, max: 10_000, noNaN: true }), { minLength: 64, maxLength: 300 });
    fc.assert(
      fc.property(millis, fc.integer({ min: 1, max: 16 }), (all, workers) => {
        const times = new HashTimes(workers);
        for (const each of all) times.record(each);
        const latest = all.slice(-16 * workers);
        expect(times.pace).toBeGreaterThanOrEqual((0.999 * Math.min(...latest)) / workers);
        expect(times.pace).toBeLessThanOrEqual((1.001 * Math.max(...latest)) / workers);
      }),
    );
  });
});
