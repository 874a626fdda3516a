import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/programs/manual-clock.js';
import { Meters } from '../../observability/metrics/meters.js';
import type { CaffeineSpec } from './caffeine-spec.js';
import { CacheMeters } from './cache-meters.js';
import { InProcessCache } from './in-process-cache.js';

function cacheOf(spec: CaffeineSpec, maxAgeMillis = 3_600_000) {
  const [clock, meters] = [new ManualClock(), new Meters()];
  const statistics = new CacheMeters(meters).statisticsOf('users');
  const cache = new InProcessCache({ name: 'users', schema: v.string(), maxAgeMillis }, spec, clock, statistics);
  const count = (name: string, result?: string): number | undefined =>
    meters
      .find(name)
      ?.series.find(({ tags }) => tags['result'] === result)
      ?.meter.measure()[0]?.value;
  return { cache, clock, count };
}

describe('a cache in the process', () => {
  it('evicts the entry that was not used for the longest time beyond maximumSize', () => {
    const { cache, count } = cacheOf({ maximumSize: 2 });
    cache.put('a', '1');
    cache.put('b', '2');
    cache.get('a');

    cache.put('c', '3');

    expect([cache.get('a'), cache.get('b'), cache.get('c'), cache.size]).toEqual(['1', undefined, '3', 2]);
    expect(count('cache.evictions')).toBe(1);
  });

  it('expireAfterWrite ends an entry although it is read', () => {
    const { cache, clock, count } = cacheOf({ expireAfterWrite: 10_000 });
    cache.put('a', '1');

    clock.advance(9);
    const before = cache.get('a');
    clock.advance(1);

    expect([before, cache.get('a'), cache.size]).toEqual(['1', undefined, 0]);
    expect(count('cache.evictions')).toBe(1);
  });

  it('expireAfterAccess ends an entry that is not read, and a read extends it up to expireAfterWrite', () => {
    const { cache, clock } = cacheOf({ expireAfterAccess: 10_000, expireAfterWrite: 25_000 });
    cache.put('read', '1');
    cache.put('unread', '2');

    const seen = [9, 9, 6, 1].map((seconds) => {
      clock.advance(seconds);
      return cache.get('read');
    });

    expect(seen).toEqual(['1', '1', '1', undefined]);
    expect(cache.get('unread')).toBeUndefined();
  });

  it.each<CaffeineSpec>([{ maximumSize: 0 }, { expireAfterWrite: 0 }, { expireAfterAccess: 0 }])(
    'keeps nothing with %o',
    (spec) => {
      const { cache } = cacheOf(spec);

      cache.put('a', '1');

      expect([cache.get('a'), cache.size]).toEqual([undefined, 0]);
    },
  );

  it.each<CaffeineSpec>([{}, { maximumSize: 100_000 }])('has at most 50,000 entries with %o', (spec) => {
    const { cache } = cacheOf(spec);

    for (let number = 0; number <= 50_000; number += 1) cache.put(String(number), 'x');

    expect([cache.size, cache.get('0'), cache.get('50000')]).toEqual([50_000, undefined, 'x']);
  });

  it('keeps no entry longer than its owner allows, and not longer than the age that is left', () => {
    const { cache, clock } = cacheOf({ expireAfterWrite: 600_000 }, 5000);
    cache.put('whole', '1');
    cache.put('rest', '2', 2000);
    cache.put('none', '3', 0);

    clock.advance(2);
    const after2 = ['whole', 'rest', 'none'].map((key) => cache.get(key));
    clock.advance(3);

    expect(after2).toEqual(['1', undefined, undefined]);
    expect(cache.get('whole')).toBeUndefined();
  });

  it('counts hits, misses and puts, and clearing is no eviction', () => {
    const { cache, count } = cacheOf({});
    cache.put('a', '1');
    cache.put('b', '2');
    for (const key of ['a', 'a', 'c']) cache.get(key);

    cache.clear();

    expect([count('cache.gets', 'hit'), count('cache.gets', 'miss'), count('cache.puts')]).toEqual([2, 1, 2]);
    expect([count('cache.evictions'), cache.size]).toEqual([0, 0]);
  });
});
