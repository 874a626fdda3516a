import { expect, it } from 'vitest';
import * as v from 'valibot';
import { requiredMembersOf } from './required-members.js';

function always(schema: v.GenericSchema): readonly string[] {
  return [...requiredMembersOf(schema).always];
}

it('the required members of an object are those that are not optional', () => {
  const schema = v.strictObject({
    kept: v.string(),
    empty: v.nullable(v.string()),
    optional: v.optional(v.string()),
    exact: v.exactOptional(v.string()),
    nullish: v.nullish(v.string()),
    undefinedable: v.undefinedable(v.string()),
  });

  expect(always(schema)).toEqual(['kept', 'empty']);
});

it.each([
  ['a pipe', v.pipe(v.object({ a: v.string() }), v.readonly())],
  ['nullable', v.nullable(v.object({ a: v.string() }))],
  ['optional', v.optional(v.object({ a: v.string() }))],
  ['a union', v.union([v.object({ a: v.string() }), v.string()])],
])('required members are found inside %s', (_, schema) => {
  expect(always(schema)).toEqual(['a']);
});

it('the required members of a variant are those of all its alternatives, nested ones included', () => {
  const schema = v.variant('done', [
    v.object({ done: v.literal(true), token: v.object({ text: v.string() }) }),
    v.object({ done: v.literal(false), methods: v.array(v.string()), token: v.object({ kind: v.string() }) }),
  ]);

  expect(always(schema)).toEqual(['done', 'token', 'methods']);
  expect(requiredMembersOf(schema).members.get('token')?.always).toEqual(new Set(['text', 'kind']));
});

it.each([
  ['a list', v.array(v.object({ a: v.string() }))],
  ['a tuple', v.tuple([v.object({ a: v.string() }), v.string()])],
  ['a tuple with a rest', v.tupleWithRest([v.string()], v.object({ a: v.string() }))],
  ['a record', v.record(v.string(), v.object({ a: v.string() }))],
  ['an object with a rest', v.objectWithRest({ b: v.string() }, v.object({ a: v.string() }))],
])('required members are found in the items of %s', (_, schema) => {
  expect(requiredMembersOf(schema).items?.always).toEqual(new Set(['a']));
});

it('a schema that is not an object has no required members', () => {
  for (const schema of [v.string(), v.picklist(['a']), v.unknown(), v.date()]) {
    expect(requiredMembersOf(schema)).toMatchObject({ always: new Set(), items: undefined });
  }
});

it('the required members of a schema are computed once', () => {
  const schema = v.object({ a: v.string() });

  expect(requiredMembersOf(schema)).toBe(requiredMembersOf(schema));
});
