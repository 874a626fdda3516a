import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as v from 'valibot';
import { fieldErrors, paginationSchema, text, textOfBytes } from './schema.js';

const schema = v.strictObject({
  id: text(5),
  pw: v.optional(textOfBytes(4)),
  count: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
  kind: v.optional(v.picklist(['totp', 'backup_code'])),
  code: v.optional(
    v.pipe(
      v.string(),
      v.check((value) => value !== 'x', 'format'),
    ),
  ),
  own: v.optional(
    v.pipe(
      v.string(),
      v.check(() => false, 'a sentence'),
    ),
  ),
  tags: v.optional(v.array(v.string())),
});

function errorsOf(value: unknown, parameter?: string): unknown {
  const { issues = [] } = v.safeParse(schema, value);
  return fieldErrors(issues, parameter);
}

const CASES: readonly (readonly [string, unknown, readonly { readonly field: string; readonly code: string }[]])[] = [
  ['a missing member', {}, [{ field: 'id', code: 'required' }]],
  ['null', { id: null }, [{ field: 'id', code: 'type' }]],
  ['an object in place of text', { id: { $gt: '' } }, [{ field: 'id', code: 'type' }]],
  ['an unknown member', { id: 'a', mfa_required: false }, [{ field: 'mfa_required', code: 'unknown' }]],
  ['a member of every object', { id: 'a', toString: 'b' }, [{ field: 'toString', code: 'unknown' }]],
  ['too little', { id: '' }, [{ field: 'id', code: 'too_short' }]],
  ['too much', { id: 'abcdef' }, [{ field: 'id', code: 'too_long' }]],
  ['too many bytes', { id: 'a', pw: 'äöü' }, [{ field: 'pw', code: 'too_long' }]],
  ['a number out of range', { id: 'a', count: 0 }, [{ field: 'count', code: 'range' }]],
  ['half a number', { id: 'a', count: 1.5 }, [{ field: 'count', code: 'format' }]],
  ['another word', { id: 'a', kind: 'sms' }, [{ field: 'kind', code: 'format' }]],
  ['a failed v.check', { id: 'a', code: 'x' }, [{ field: 'code', code: 'format' }]],
  ['a failed v.check without a code', { id: 'a', own: '' }, [{ field: 'own', code: 'format' }]],
  ['an item of a list', { id: 'a', tags: ['a', 1] }, [{ field: 'tags.1', code: 'type' }]],
  ['a text in place of the object', 'text', [{ field: '', code: 'type' }]],
];

describe('a validation error', () => {
  it.each(CASES)('has the member and a code: %s', (_, value, expected) => {
    expect(errorsOf(value)).toEqual(expected);
  });

  it('the error of a single parameter has the name of the parameter', () => {
    const { issues = [] } = v.safeParse(text(3), 'abcd');

    expect(fieldErrors(issues, 'id')).toEqual([{ field: 'id', code: 'too_long' }]);
  });

  it('keeps the response short for a large request', () => {
    const errors = JSON.stringify(errorsOf({ id: 'a', tags: Array(30_000).fill(1), ['x'.repeat(50_000)]: 1 }));

    expect(errors.length).toBeLessThan(2000);
    expect(JSON.stringify(errorsOf({ id: 'a', ['x'.repeat(50_000)]: 1 })).length).toBeLessThan(200);
  });
});

describe('the pagination query', () => {
  it.each([
    [{}, { limit: 50 }],
    [
      { limit: '1', after: 'x' },
      { limit: 1, after: 'x' },
    ],
    [{ limit: '200' }, { limit: 200 }],
  ])('%j is parsed as %j', (query, expected) => {
    expect(v.parse(paginationSchema, query)).toEqual(expected);
  });

  it.each([{ limit: '0' }, { limit: '201' }, { limit: '1e2' }, { limit: '-1' }, { limit: ['1', '2'] }, { after: '' }])(
    'rejects %j',
    (query) => {
      expect(v.is(paginationSchema, query)).toBe(false);
    },
  );
});

it('docs/reference/errors.md lists the codes of members', () => {
  const page = readFileSync(new URL('../../../docs/reference/errors.md', import.meta.url), 'utf8');
  const [, listed = ''] = /one of ((?:`[a-z_]+`[ ;])+)/.exec(page) ?? [];

  expect(new Set(listed.match(/[a-z_]+/g))).toEqual(
    new Set(CASES.flatMap(([, , errors]) => errors.map(({ code }) => code))),
  );
});
