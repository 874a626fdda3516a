import { describe, expect, it } from 'vitest';
import { fc } from '../../../test/support/runner/property.js';
import { type Filled, fillPlaceholders } from './placeholder.js';

/** The result of `fillPlaceholders` for these values, as a short text. */
function filled(text: string, values: Readonly<Record<string, string>> = {}): string {
  return summary(fillPlaceholders(text, (name) => new Map(Object.entries(values)).get(name)));
}

function summary(result: Filled): string {
  return result.kind === 'filled' ? result.text : `${result.kind}: ${result.chain.map(({ name }) => name).join(' ')}`;
}

describe('placeholders', () => {
  it.each([
    ['a value', 'http://${host}/', { host: 'db' }, 'http://db/'],
    ['several values', '${a}${b}-${a}', { a: '1', b: '2' }, '12-1'],
    ['a default', '${host:localhost}', {}, 'localhost'],
    ['a value before a default', '${host:localhost}', { host: 'db' }, 'db'],
    ['an empty value before a default', '${host:localhost}', { host: '' }, ''],
    ['an empty default', 'x${host:}y', {}, 'xy'],
    ['the default after the first colon', '${URL:http://x:1}', {}, 'http://x:1'],
    ['a default that is a placeholder', '${A:${B:x}}', {}, 'x'],
    ['the value of a default that is a placeholder', '${A:${B:x}}', { B: 'b' }, 'b'],
    ['a name that contains placeholders', '${url.${region}}', { region: 'eu', 'url.eu': 'http://eu' }, 'http://eu'],
    ['a name that contains a default', '${url.${region:us}:none}', { 'url.us': 'http://us' }, 'http://us'],
    ['a value that has placeholders', '${a}', { a: 'x${b}', b: 'y${c}', c: 'z' }, 'xyz'],
    ['a value that has a default', '${a}', { a: '${b:fallback}' }, 'fallback'],
    ['paired braces in a default', '${PATTERN:%d{HH:mm} %m{1}}!', {}, '%d{HH:mm} %m{1}!'],
    ['nothing if it is escaped', '\\${name}', { name: 'x' }, '${name}'],
    ['nothing if it is escaped in a default', '${a:\\${b}}', { b: 'x' }, '${b}'],
    ['only what is not escaped', '\\${a}${a}', { a: 'x' }, '${a}x'],
    ['nothing if the end is missing', 'a${b', { b: 'x' }, 'a${b'],
    ['a placeholder after one without an end', '${a ${b}', { b: 'x' }, '${a x'],
    ['nothing in other dollar signs and braces', '$a {b} $ {c} %{d}}', {}, '$a {b} $ {c} %{d}}'],
    ['names with blanks unchanged', '${ a }', { a: 'x', ' a ': 'y' }, 'y'],
    ['the same name twice without reporting a circle', '${a} ${b}', { a: '${b}', b: 'x' }, 'x x'],
  ])('resolve %s', (_, text, values, expected) => {
    expect(filled(text, values)).toBe(expected);
  });

  it.each([
    ['missing: a', '${a}', {}],
    ['missing: b', '${a:${b}}', {}],
    ['missing: a b', '${a}', { a: '${b}' }],
    ['missing: region', '${url.${region}}', {}],
    ['missing: url.eu', '${url.${region}}', { region: 'eu' }],
    ['missing: ', '${}', {}],
    ['circular: a a', '${a}', { a: '${a}' }],
    ['circular: a b a', 'x${a}', { a: '${b}', b: 'y${a}' }],
    ['circular: b c b', '${a}', { a: '${b}', b: '${c}', c: '${b:x}' }],
    ['circular: a a', '${a}', { a: '${x.${a}}' }],
    ['circular: a a', '${a}', { a: '${unset:${a}}' }],
  ])('fail with "%s" for %s', (expected, text, values) => {
    expect(filled(text, values)).toBe(expected);
  });

  it('do not evaluate a circular default that is not needed', () => {
    expect(filled('${a}', { a: '${b:${a}}', b: 'x' })).toBe('x');
  });

  it('list all names that a text was resolved through', () => {
    const values = new Map([
      ['a', '${DB_PASSWORD:none}'],
      ['url.eu', '${inner}'],
      ['inner', 'x'],
      ['region', 'eu'],
    ]);

    const result = fillPlaceholders('${a} ${url.${region}}', (name) => values.get(name));

    expect(result).toMatchObject({ kind: 'filled', text: 'none x' });
    expect(result.kind === 'filled' ? [...result.through].sort() : []).toEqual(
      ['a', 'DB_PASSWORD', 'url.eu', 'inner', 'region'].sort(),
    );
  });

  it.each([
    ['nested in each other', '${a:'.repeat(5000) + '}'.repeat(5000), {}],
    ['through values', '${v0}', Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`v${n}`, `\${v${n + 1}}`]))],
    [
      'that double',
      '${v0}',
      Object.fromEntries(Array.from({ length: 64 }, (_, n) => [`v${n}`, `\${v${n + 1}:x}`.repeat(2)])),
    ],
  ])('fail for too many placeholders %s', (_, text, values) => {
    expect(filled(text, values)).toMatch(/^excessive/);
  });
});

/** A text in pieces, the input of the reference implementation. */
type Piece =
  | { readonly kind: 'plain'; readonly text: string }
  | { readonly kind: 'escaped'; readonly name: string }
  | { readonly kind: 'placeholder'; readonly name: Text; readonly fallback: Text | undefined };
type Text = readonly Piece[];

const NAMES = ['a', 'b', 'c', 'd.e', 'f-g'];

const { text: pieces } = fc.letrec<{ text: Text; piece: Piece }>((tie) => ({
  text: fc.array(tie('piece'), { maxLength: 3 }),
  piece: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record({ kind: fc.constant('plain' as const), text: fc.constantFrom('x', ' y', ':', 'é', '%d{H}', '$', '') }),
    fc.record({ kind: fc.constant('escaped' as const), name: fc.constantFrom(...NAMES) }),
    fc.record({
      kind: fc.constant('placeholder' as const),
      name: fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom(...NAMES).map((text): Text => [{ kind: 'plain', text }]) },
        { weight: 1, arbitrary: tie('text').filter((text) => !written(text).includes(':')) },
      ),
      fallback: fc.option(tie('text'), { nil: undefined }),
    }),
  ),
}));

function written(text: Text): string {
  return text
    .map((piece) => {
      if (piece.kind === 'plain') return piece.text;
      if (piece.kind === 'escaped') return `\\\${${piece.name}}`;
      return `\${${written(piece.name)}${piece.fallback ? `:${written(piece.fallback)}` : ''}}`;
    })
    .join('');
}

/** The reference implementation: fills the pieces without parsing a text. */
function reference(text: Text, values: ReadonlyMap<string, Text>, within: readonly string[] = []): string {
  return text
    .map((piece) => {
      if (piece.kind === 'plain') return piece.text;
      if (piece.kind === 'escaped') return `\${${piece.name}}`;
      const name = reference(piece.name, values, within);
      if (within.includes(name)) throw new Error('circular');
      const value = values.get(name);
      if (value) return reference(value, values, [...within, name]);
      if (!piece.fallback) throw new Error('missing');
      return reference(piece.fallback, values, within);
    })
    .join('');
}

function outcome(fill: () => string): string {
  try {
    return fill();
  } catch (error) {
    return String(error);
  }
}

describe('randomly nested placeholders', () => {
  const valueSets = fc.uniqueArray(fc.tuple(fc.constantFrom(...NAMES), pieces), { selector: ([name]) => name });

  it('resolve like a naive reference implementation', () => {
    let fills = 0;
    fc.assert(
      fc.property(pieces, valueSets, (text, entries) => {
        const values = new Map(entries);
        const expected = outcome(() => reference(text, values));

        const result = fillPlaceholders(written(text), (name) => {
          const value = values.get(name);
          return value && written(value);
        });

        if (result.kind === 'filled' && result.through.length > 0) fills += 1;
        expect(result.kind === 'filled' ? result.text : `Error: ${result.kind}`).toBe(expected);
      }),
      { numRuns: 2000 },
    );
    expect(fills).toBeGreaterThan(100);
  });
});
