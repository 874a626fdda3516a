import { describe, expect, it } from 'vitest';
import { fc } from '../../../test/support/runner/property.js';
import { DigestMap } from './digest-map.js';

const FIELDS = ['count', 'sum', 'lastAt'] as const;
/** A constant salt, so that a failing run can be repeated. */
const SALT = 'salt';

type Values = Readonly<Record<(typeof FIELDS)[number], number>>;

/** Returns a different number for each field. */
const values = (count: number): Values => ({ count, sum: -count / 3, lastAt: 1_800_000_000_000 + count });

/** The reference: a map, which keeps the order in which keys were set. */
class LeastRecentlySet {
  private readonly entries = new Map<string, Values>();

  constructor(private readonly capacity: number) {}

  get(key: string): Values | undefined {
    return this.entries.get(key);
  }

  set(key: string, value: Values): void {
    this.entries.delete(key);
    this.entries.set(key, value);
    const [oldest] = this.entries.keys();
    if (this.entries.size > this.capacity && oldest !== undefined) this.entries.delete(oldest);
  }

  delete(key: string): void {
    this.entries.delete(key);
  }
}

describe('DigestMap', () => {
  const keys = Array.from({ length: 12 }, (_, index) => `key ${index}`);
  const count = fc.double({ min: 0, noNaN: true });
  const step = fc.oneof(
    fc.record({ does: fc.constant('set' as const), key: fc.constantFrom(...keys), count }),
    fc.record({ does: fc.constant('delete' as const), key: fc.constantFrom(...keys) }),
  );

  it('equals a map that forgets the key that was set least recently, after every step', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 }), fc.array(step, { maxLength: 100 }), (capacity, steps) => {
        const map = new DigestMap(FIELDS, capacity, SALT);
        const expected = new LeastRecentlySet(capacity);
        for (const each of steps) {
          if (each.does === 'delete') for (const one of [map, expected]) one.delete(each.key);
          else for (const one of [map, expected]) one.set(each.key, values(each.count));

          expect(keys.map((key) => map.get(key))).toEqual(keys.map((key) => expected.get(key)));
        }
      }),
    );
  });

  it('finds the other keys after every third of 2,000 was deleted', () => {
    const map = new DigestMap(FIELDS, 2000, SALT);
    const all = Array.from({ length: 2000 }, (_, index) => `key:${index}`);
    for (const [index, key] of all.entries()) map.set(key, values(index));

    for (const [index, key] of all.entries()) if (index % 3 === 0) map.delete(key);

    expect(all.map((key) => map.get(key)?.count)).toEqual(all.map((_, index) => (index % 3 === 0 ? undefined : index)));
  });

  it('finds every key of a full capacity', () => {
    const map = new DigestMap(FIELDS, 5000, SALT);
    const all = Array.from({ length: 5000 }, (_, index) => `key:${index}`);
    for (const [index, key] of all.entries()) map.set(key, values(index));

    expect(all.map((key) => map.get(key)?.count)).toEqual(Array.from(all.keys()));
  });

  it('distinguishes long keys that differ in their last character', () => {
    const map = new DigestMap(FIELDS, 2, SALT);
    const long = 'x'.repeat(10_000);
    map.set(`${long}a`, values(1));
    map.set(`${long}b`, values(2));

    expect([map.get(`${long}a`), map.get(`${long}b`), map.get(long)]).toEqual([values(1), values(2), undefined]);
  });
});
