import { expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/programs/manual-clock.js';
import { Meters } from './meters.js';

it('a known name returns the same family', () => {
  const meters = new Meters();
  expect(meters.counter('x')).toBe(meters.counter('x'));
  expect(meters.find('x')).toBe(meters.counter('x'));
});

it('a name cannot be used for two kinds of meters', () => {
  const meters = new Meters();
  meters.counter('x');
  expect(() => meters.timer('x')).toThrow('x is a counter');
});

it('timers have the base unit seconds', () => {
  const meters = new Meters();
  expect(meters.timer('a', { description: 'Time to a' }).facts).toEqual({
    description: 'Time to a',
    baseUnit: 'seconds',
  });
  expect(meters.longTaskTimer('b').facts).toEqual({ baseUnit: 'seconds' });
});

it('timers reset their maximum by the clock of the meters', () => {
  const clock = new ManualClock();
  const timer = new Meters(clock).timer('a').of();
  timer.record(2);
  clock.advance(180);
  expect(timer.measure()).toContainEqual({ statistic: 'MAX', value: 0 });
});

it('a gauge that is registered again replaces the former one', () => {
  const meters = new Meters();
  meters.gauge('size', {}, () => 1, { name: 'users' });
  meters.gauge('size', {}, () => 2, { name: 'users' });
  meters.gauge('size', {}, () => 3, { name: 'keys' });
  const values = meters.find('size')?.series.map(({ tags, meter }) => [tags['name'], meter.measure()[0]?.value]);
  expect(values).toEqual([
    ['users', 2],
    ['keys', 3],
  ]);
});
