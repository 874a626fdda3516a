import { expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/programs/manual-clock.js';
import { RecentMax } from './recent-max.js';

/** A clock at the first second of a minute. */
function start(): { readonly clock: ManualClock; readonly max: RecentMax } {
  const clock = new ManualClock(1_800_000_000);
  return { clock, max: new RecentMax(clock) };
}

it('RecentMax is 0 without a number', () => {
  expect(start().max.value).toBe(0);
});

it('RecentMax is the largest number of the current minute', () => {
  const { max } = start();
  for (const amount of [0.2, 0.7, 0.4]) max.take(amount);
  expect(max.value).toBe(0.7);
});

it('RecentMax is negative if all numbers are', () => {
  const { max } = start();
  max.take(-1);
  expect(max.value).toBe(-1);
});

it.each([
  { after: 119, value: 5 },
  { after: 179, value: 5 },
  { after: 180, value: 0 },
  { after: 86_400, value: 0 },
])('RecentMax is $value $after seconds after a number in the first second of a minute', ({ after, value }) => {
  const { clock, max } = start();
  max.take(5);
  clock.advance(after);
  expect(max.value).toBe(value);
});

it('RecentMax drops a number of the last second of a minute after two minutes', () => {
  const { clock, max } = start();
  clock.advance(59);
  max.take(5);
  clock.advance(120);
  expect(max.value).toBe(5);
  clock.advance(1);
  expect(max.value).toBe(0);
});

it('RecentMax falls to the largest later number', () => {
  const { clock, max } = start();
  max.take(9);
  clock.advance(60);
  max.take(3);
  clock.advance(60);
  max.take(1);
  expect(max.value).toBe(9);
  clock.advance(60);
  expect(max.value).toBe(3);
  clock.advance(60);
  expect(max.value).toBe(1);
});

it('RecentMax resets if the clock is set back', () => {
  const { clock, max } = start();
  max.take(9);
  clock.advance(-3600);
  expect(max.value).toBe(0);
  max.take(2);
  expect(max.value).toBe(2);
});

it('RecentMax works in the first minutes of 1970', () => {
  const clock = new ManualClock(0);
  const max = new RecentMax(clock);
  max.take(4);
  clock.advance(60);
  expect(max.value).toBe(4);
  clock.advance(120);
  expect(max.value).toBe(0);
});
