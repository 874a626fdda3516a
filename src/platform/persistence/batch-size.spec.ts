import { expect, it } from 'vitest';
import { fc } from '../../../test/support/runner/property.js';
import { BatchSize } from './batch-size.js';

/** The size after batches that took `millis` each. */
function after(...millis: readonly number[]): number {
  const size = new BatchSize();
  for (const each of millis) size.adjust(each);
  return size.rows;
}

it('a batch size starts small and doubles while batches are quick, up to a limit', () => {
  expect([after(), after(1), after(1, 1), after(...Array<number>(20).fill(1))]).toEqual([16, 32, 64, 1024]);
});

it('a batch size stays where the next larger one could exceed its target', () => {
  expect(after(1, 1, 20)).toBe(64);
});

it('a batch size shrinks at once to what would have met its target, down to one row', () => {
  expect([after(1, 1, 90), after(30), after(5000)]).toEqual([16, 8, 1]);
});

it('at the speed of the last batch, the next one takes at most a quarter of 100 ms, unless it has one row', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0.0001, max: 500, noNaN: true }), { maxLength: 40 }), (millisPerRow) => {
      const size = new BatchSize();
      for (const each of millisPerRow) {
        size.adjust(size.rows * each);
        expect(size.rows === 1 || size.rows * each <= 25).toBe(true);
      }
    }),
  );
});

it('a smaller batch has as many values as a full one', () => {
  expect(new BatchSize().padded(['a', 'b'], 4)).toEqual(['a', 'b', 'b', 'b']);
  expect(new BatchSize().padded([], 4)).toEqual([]);
});
