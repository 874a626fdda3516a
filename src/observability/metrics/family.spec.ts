import { describe, expect, it } from 'vitest';
import { Family, type Tags } from './family.js';
import { Counter } from './meter.js';

/** The maximum number of series of a family. */
const MAX_SERIES = 1000;

function family(): Family<Counter> {
  return new Family('some.name', 'counter', {}, () => new Counter());
}

function counts(of: Family<Counter>): readonly (readonly [Readonly<Record<string, string>>, number | undefined])[] {
  return of.series.map(({ tags, meter }) => [tags, meter.measure()[0]?.value] as const);
}

describe('a series of a meter', () => {
  it('exists once for each combination of tag values', () => {
    const some = family();
    for (const result of ['hit', 'miss', 'hit']) some.of({ name: 'users', result }).increment();
    expect(counts(some)).toEqual([
      [{ name: 'users', result: 'hit' }, 2],
      [{ name: 'users', result: 'miss' }, 1],
    ]);
  });

  it('may have no tags', () => {
    const some = family();
    some.of().increment();
    some.of({}).increment();
    expect(counts(some)).toEqual([[{}, 2]]);
  });

  it.each([
    [
      { a: 'x', b: 'y\u0000z' },
      { a: 'x\u0000y', b: 'z' },
    ],
    [
      { a: 'x,b=y', b: '' },
      { a: 'x', b: 'y' },
    ],
    [
      { a: 'x', b: '' },
      { a: '', b: 'x' },
    ],
    [
      { a: '__proto__', b: 'constructor' },
      { a: 'constructor', b: '__proto__' },
    ],
  ])('the series of %j differs from the series of %j', (one, other) => {
    const some = family();
    some.of(one).increment();
    some.of(other).increment();
    expect(counts(some)).toEqual([
      [one, 1],
      [other, 1],
    ]);
  });

  it('is the same for another order of the tags', () => {
    const some = family();
    some.of({ a: 'x', b: 'y' }).increment();
    some.of({ b: 'y', a: 'x' }).increment();
    some.of({ b: 'x', a: 'y' }).increment();
    expect(counts(some)).toEqual([
      [{ a: 'x', b: 'y' }, 2],
      [{ a: 'y', b: 'x' }, 1],
    ]);
  });

  it.each<{ readonly tags: Tags }>([
    { tags: {} },
    { tags: { a: 'x' } },
    { tags: { a: 'x', c: 'y' } },
    { tags: { a: 'x', b: 'y', c: 'z' } },
    { tags: { a: 'x', toString: 'y' } },
  ])('is rejected with $tags if the others have the tags a and b', ({ tags }) => {
    const some = family();
    some.of({ a: 'x', b: 'y' });
    expect(() => some.of(tags)).toThrow('some.name has the tags a, b');
    expect(() => some.set(tags, new Counter())).toThrow('some.name has the tags a, b');
    expect(some.series).toHaveLength(1);
  });

  it('is replaced by a meter that is set with the same tags', () => {
    const some = family();
    some.of({ a: 'x' }).increment();
    const other = new Counter();
    some.set({ a: 'x' }, other);
    expect(some.of({ a: 'x' })).toBe(other);
    expect(some.series).toHaveLength(1);
  });

  it('keeps its tags if the caller changes the passed object', () => {
    const some = family();
    const tags = { a: 'x' };
    some.of(tags).increment();
    tags.a = 'y';
    expect(counts(some)).toEqual([[{ a: 'x' }, 1]]);
  });
});

describe('M5: a meter with tag values chosen by callers', () => {
  /** A family after `extra` series more than its maximum. */
  function flooded(extra: number, more: Tags = {}): Family<Counter> {
    const some = family();
    for (let at = 0; at < MAX_SERIES + extra; at++) some.of({ method: 'GET', uri: `/${at}`, ...more }).increment();
    return some;
  }

  it('has a maximum of series, and further values are counted as other', () => {
    const some = flooded(500);
    expect(some.series).toHaveLength(MAX_SERIES + 1);
    expect(counts(some)).toContainEqual([{ method: 'other', uri: 'other' }, 500]);
  });

  it('counts outcomes separately even among other', () => {
    const some = flooded(0, { outcome: 'SUCCESS' });
    for (const outcome of ['SERVER_ERROR', 'SUCCESS']) some.of({ method: 'GET', uri: '/new', outcome }).increment();

    expect(counts(some).slice(-2)).toEqual([
      [{ method: 'other', uri: 'other', outcome: 'SERVER_ERROR' }, 1],
      [{ method: 'other', uri: 'other', outcome: 'SUCCESS' }, 1],
    ]);
  });

  it('keeps counting the series that exist', () => {
    const some = flooded(500);
    some.of({ method: 'GET', uri: '/0' }).increment();
    expect(counts(some)).toContainEqual([{ method: 'GET', uri: '/0' }, 2]);
  });

  it('replaces a series beyond the maximum, but adds none', () => {
    const some = flooded(0);
    some.set({ method: 'GET', uri: '/new' }, new Counter());
    expect(some.series).toHaveLength(MAX_SERIES);
    some.set({ method: 'GET', uri: '/7' }, new Counter());
    expect(counts(some)).toContainEqual([{ method: 'GET', uri: '/7' }, 0]);
  });

  it('stores nothing for a value beyond the maximum', () => {
    const some = flooded(500);
    const before = JSON.stringify(some, sizes).length;
    for (let at = 0; at < 1000; at++) some.of({ method: `M${at}`, uri: `/more/${at}` });
    expect(JSON.stringify(some, sizes)).toHaveLength(before);
  });

  /** Serializes the entries of maps, which JSON omits. */
  function sizes(_key: string, value: unknown): unknown {
    return value instanceof Map ? [...(value as ReadonlyMap<unknown, unknown>)] : value;
  }
});
