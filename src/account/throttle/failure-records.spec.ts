import { describe, expect, it } from 'vitest';
import { fc } from '../../../test/support/property.js';
import { Random } from '../../random/random.js';
import { FailureRecords, type Failures } from './failure-records.js';

/** The same salt in every run, so that a failing run can be repeated. */
class FixedRandom extends Random {
  bytes(count: number): Buffer {
    return Buffer.alloc(count, 7);
  }
}

const failures = (count: number): Failures => ({ count, lastAt: 1_800_000_000_000 + count });

/** The rule in words, on a map, which keeps the order in which keys were set. */
class LeastRecentlySet {
  private readonly entries = new Map<string, Failures>();

  constructor(private readonly capacity: number) {}

  get(key: string): Failures | undefined {
    return this.entries.get(key);
  }

  set(key: string, value: Failures): void {
    this.entries.delete(key);
    this.entries.set(key, value);
    const [oldest] = this.entries.keys();
    if (this.entries.size > this.capacity && oldest !== undefined) this.entries.delete(oldest);
  }

  delete(key: string): void {
    this.entries.delete(key);
  }
}

describe('FailureRecords', () => {
  const keys = Array.from({ length: 12 }, (_, index) => `key ${index}`);
  const count = fc.double({ min: 0, noNaN: true });
  const step = fc.oneof(
    fc.record({ does: fc.constant('set' as const), key: fc.constantFrom(...keys), count }),
    fc.record({ does: fc.constant('delete' as const), key: fc.constantFrom(...keys) }),
  );

  it('equals a map that forgets the key that was set least recently, after every step', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 }), fc.array(step, { maxLength: 100 }), (capacity, steps) => {
        const records = new FailureRecords(capacity, new FixedRandom());
        const expected = new LeastRecentlySet(capacity);
        for (const each of steps) {
          if (each.does === 'delete') for (const one of [records, expected]) one.delete(each.key);
          else for (const one of [records, expected]) one.set(each.key, failures(each.count));

          expect(keys.map((key) => records.get(key))).toEqual(keys.map((key) => expected.get(key)));
        }
      }),
    );
  });

  it('finds the other keys after every third of 2,000 was deleted', () => {
    const records = new FailureRecords(2000, new FixedRandom());
    const all = Array.from({ length: 2000 }, (_, index) => `login_id:${index}`);
    for (const [index, key] of all.entries()) records.set(key, failures(index));

    for (const [index, key] of all.entries()) if (index % 3 === 0) records.delete(key);

    expect(all.map((key) => records.get(key)?.count)).toEqual(
      all.map((_, index) => (index % 3 === 0 ? undefined : index)),
    );
  });

  it('finds every key of a full capacity', () => {
    const records = new FailureRecords(5000);
    const all = Array.from({ length: 5000 }, (_, index) => `login_id:${index}`);
    for (const [index, key] of all.entries()) records.set(key, failures(index));

    expect(all.map((key) => records.get(key)?.count)).toEqual(Array.from(all.keys()));
  });

  it('distinguishes long keys that differ in their last character', () => {
    const records = new FailureRecords(2);
    const long = 'x'.repeat(10_000);
    records.set(`${long}a`, failures(1));
    records.set(`${long}b`, failures(2));

    expect([records.get(`${long}a`), records.get(`${long}b`), records.get(long)]).toEqual([
      failures(1),
      failures(2),
      undefined,
    ]);
  });
});
