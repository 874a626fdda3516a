import { describe, expect, it } from 'vitest';
import { type FailureCounter, lockoutScheduleOf, lockOf } from './attempt.js';

const NOW = 1_800_000_000;
const SCHEDULE = [300, 600, 1200, 2400, 3600];

const counter = (facts: Partial<FailureCounter>): FailureCounter => ({
  failures: 5,
  failuresInRow: 5,
  lockLevel: 1,
  lastAttemptAt: NOW,
  clockSkewAt: null,
  ...facts,
});

describe('the lockout schedule', () => {
  it.each([
    [300, 3600, SCHEDULE],
    [300, 300, [300]],
    [1, 1, [1]],
    [7, 9, [7, 9]],
    [60, 240, [60, 120, 240]],
  ])('the schedule from %i s to %i s is %o', (first, longest, schedule) => {
    expect(lockoutScheduleOf(first, longest)).toEqual(schedule);
  });
});

describe('lockOf', () => {
  it.each([0, 1, 2, 3, 4])('returns no lock after %i failures', (failures) => {
    expect(lockOf(counter({ failures }), NOW, SCHEDULE)).toBeUndefined();
  });

  it.each([
    ['a lock of the fifth attempt, before its code is verified,', 0, 300],
    ['the first lock', 1, 300],
    ['the second lock', 2, 600],
    ['the third lock', 3, 1200],
    ['the fourth lock', 4, 2400],
    ['the fifth lock', 5, 3600],
    ['a later lock', 50, 3600],
  ])('returns %s with a length of %3$i s', (_, lockLevel, length) => {
    const at = (seconds: number): unknown => lockOf(counter({ lockLevel }), NOW + seconds, SCHEDULE);

    expect(at(0)).toEqual({ until: NOW + length, endsByItself: true });
    expect(at(length - 1)).toEqual({ until: NOW + length, endsByItself: true });
    expect(at(length)).toBeUndefined();
  });

  it.each([
    ['the hundredth failure in a row', { failures: 5, failuresInRow: 100 }],
    ['the hundredth failure in a row, which is the second of five', { failures: 2, failuresInRow: 100 }],
    ['five more failures after an unlock', { failures: 5, failuresInRow: 105 }],
  ])('returns a lock that does not end by itself after %s', (_, facts) => {
    const year = 365 * 86_400;

    expect(lockOf(counter(facts), NOW + year, SCHEDULE)).toEqual({ until: NOW + year + 3600, endsByItself: false });
  });

  it.each([
    ['right after an unlock', { failures: 0, failuresInRow: 100 }],
    ['with fewer than five more failures', { failures: 4, failuresInRow: 104 }],
  ])('returns no lock beyond a hundred failures in a row %s', (_, facts) => {
    expect(lockOf(counter(facts), NOW, SCHEDULE)).toBeUndefined();
  });

  describe('R11: a lock that began in the future', () => {
    const begun = counter({ lastAttemptAt: NOW + 3600 });

    it('starts now if no process has noticed the skew', () => {
      expect(lockOf(begun, NOW, SCHEDULE)).toEqual({ until: NOW + 300, endsByItself: true });
    });

    it('starts when a process noticed the skew', () => {
      const seen = { ...begun, clockSkewAt: NOW - 100 };

      expect(lockOf(seen, NOW, SCHEDULE)).toEqual({ until: NOW + 200, endsByItself: true });
      expect(lockOf(seen, NOW + 200, SCHEDULE)).toBeUndefined();
    });

    it('starts now if the clock was set back again', () => {
      expect(lockOf({ ...begun, clockSkewAt: NOW + 1800 }, NOW, SCHEDULE)?.until).toBe(NOW + 300);
    });

    it('keeps its start within the tolerated skew, and on a machine whose clock is ahead', () => {
      const slight = counter({ lastAttemptAt: NOW + 60, clockSkewAt: NOW - 1000 });

      expect(lockOf(slight, NOW, SCHEDULE)?.until).toBe(NOW + 360);
      expect(lockOf({ ...begun, clockSkewAt: NOW - 1000 }, NOW + 3600, SCHEDULE)?.until).toBe(NOW + 3900);
    });
  });
});
