import { expect, it } from 'vitest';
import { SystemRandom, timeOrderedId } from './random.js';

it('timeOrderedId returns the example of RFC 9562, appendix A.6', () => {
  const random = Buffer.from('0cc318c4dc0c0c07398f', 'hex');

  expect(timeOrderedId(0x017f22e279b0, random)).toBe('017f22e2-79b0-7cc3-98c4-dc0c0c07398f');
});

it('time-ordered ids sort by time', () => {
  const ids = [1, 2, 4_000_000_000_000].map((millis) => timeOrderedId(millis, Buffer.alloc(10, 255)));

  expect(ids.toSorted()).toEqual(ids);
});

it('random values of any length are complete and differ', () => {
  const random = new SystemRandom();
  const lengths = Array.from({ length: 3000 }, (_, index) => [10, 12, 16, 32, 600, 5000][index % 6] ?? 0);
  const values = lengths.map((length) => random.bytes(length));

  expect(values.map(({ length }) => length)).toEqual(lengths);
  expect(new Set(values.map((value) => value.toString('hex'))).size).toBe(values.length);
});

it('random values do not share memory', () => {
  const random = new SystemRandom();
  const first = random.bytes(16);
  const second = random.bytes(16);
  const before = second.toString('hex');
  first.fill(0);

  expect(second.toString('hex')).toBe(before);
  expect(first.buffer).not.toBe(second.buffer);
});

it('random bytes are distributed evenly', () => {
  const random = new SystemRandom();
  let ones = 0;
  for (let value = 0; value < 4000; value += 1) {
    for (const byte of random.bytes(16)) ones += byte.toString(2).replaceAll('0', '').length;
  }

  // 512,000 bits: the standard deviation of their share of ones is 0.0007.
  expect(Math.abs(ones / (4000 * 128) - 0.5)).toBeLessThan(0.005);
});
