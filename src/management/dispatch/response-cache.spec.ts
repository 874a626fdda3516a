import { expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { ResponseCache } from './response-cache.js';

const ANSWER = { body: { status: 'UP' } };

it('keeps an answer for its time, and no longer', () => {
  const clock = new ManualClock();
  const cache = new ResponseCache(clock, 10_000);
  cache.store('anna', ANSWER);

  clock.advance(9);
  expect(cache.find('anna')).toBe(ANSWER);
  clock.advance(1);
  expect(cache.find('anna')).toBeUndefined();
});

it('keeps none for longer where the clock is set back', () => {
  const clock = new ManualClock();
  const cache = new ResponseCache(clock, 10_000);
  cache.store('anna', ANSWER);

  clock.advance(-3600);

  expect(cache.find('anna')).toBeUndefined();
});

it('keeps callers apart', () => {
  const cache = new ResponseCache(new ManualClock(), 10_000);
  cache.store('anna', ANSWER);

  expect(cache.find('berta')).toBeUndefined();
});

it('forgets what was kept first, so that its memory is bounded', () => {
  const cache = new ResponseCache(new ManualClock(), 10_000);
  for (let number = 0; number < 101; number += 1) cache.store(`caller ${number}`, ANSWER);

  expect([cache.find('caller 0'), cache.find('caller 1')]).toEqual([undefined, ANSWER]);
});
