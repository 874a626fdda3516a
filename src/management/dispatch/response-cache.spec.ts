import { expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/programs/manual-clock.js';
import { ResponseCache } from './response-cache.js';

const ANSWER = { body: { status: 'UP' } };

it('the response cache keeps a response for its time to live', () => {
  const clock = new ManualClock();
  const cache = new ResponseCache(clock, 10_000);
  cache.store('anna', ANSWER);

  clock.advance(9);
  expect(cache.find('anna')).toBe(ANSWER);
  clock.advance(1);
  expect(cache.find('anna')).toBeUndefined();
});

it('the response cache drops a response if the clock is set back', () => {
  const clock = new ManualClock();
  const cache = new ResponseCache(clock, 10_000);
  cache.store('anna', ANSWER);

  clock.advance(-3600);

  expect(cache.find('anna')).toBeUndefined();
});

it('the response cache separates keys', () => {
  const cache = new ResponseCache(new ManualClock(), 10_000);
  cache.store('anna', ANSWER);

  expect(cache.find('berta')).toBeUndefined();
});

it('the response cache drops the oldest response when it is full', () => {
  const cache = new ResponseCache(new ManualClock(), 10_000);
  for (let number = 0; number < 101; number += 1) cache.store(`caller ${number}`, ANSWER);

  expect([cache.find('caller 0'), cache.find('caller 1')]).toEqual([undefined, ANSWER]);
});
