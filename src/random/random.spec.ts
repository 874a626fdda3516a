import { expect, it } from 'vitest';
import { timeOrderedId } from './random.js';

it('timeOrderedId returns the example of RFC 9562, appendix A.6', () => {
  const random = Buffer.from('0cc318c4dc0c0c07398f', 'hex');

  expect(timeOrderedId(0x017f22e279b0, random)).toBe('017f22e2-79b0-7cc3-98c4-dc0c0c07398f');
});

it('time-ordered ids sort by time', () => {
  const ids = [1, 2, 4_000_000_000_000].map((millis) => timeOrderedId(millis, Buffer.alloc(10, 255)));

  expect(ids.toSorted()).toEqual(ids);
});
