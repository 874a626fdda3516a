import { expect, it } from 'vitest';
import * as v from 'valibot';
import { withJsonSchema, listOf, textOfBytes } from '../schema.js';
import { schemaWriter } from './json-schema.js';

const write = schemaWriter({ type: 'integer' });

it('writes an instant in the form that is configured, with what is said about it', () => {
  expect(write(v.pipe(v.date(), v.description('When.')), 'output')).toEqual({ type: 'integer', description: 'When.' });
});

it('leaves out what JSON Schema has no word for, and keeps what is said in its place', () => {
  const even = v.pipe(
    v.string(),
    v.check((text) => text.length % 2 === 0),
    v.metadata({ pattern: '^(?:..)*$' }),
  );

  expect(write(even, 'input')).toEqual({ type: 'string', pattern: '^(?:..)*$' });
  expect(write(listOf(v.boolean()), 'output')).toEqual({ type: 'array', items: { type: 'boolean' } });
});

it('counts as many characters as there may be bytes', () => {
  expect(write(textOfBytes(16), 'output')).toEqual({ type: 'string', minLength: 1, maxLength: 16 });
});

it('M5: takes no text of a request with a NUL', () => {
  expect(write(v.string(), 'input')).toEqual({ type: 'string', pattern: '^[^\\u0000]*$' });
  expect(write(v.string(), 'output')).toEqual({ type: 'string' });
});

it('writes what a text stands for in place of the text', () => {
  const number = v.pipe(
    v.string(),
    v.regex(/^\d$/),
    withJsonSchema({ type: 'integer', maximum: 9 }),
    v.transform(Number),
  );

  expect(write(v.optional(number, '5'), 'input')).toEqual({ type: 'integer', maximum: 9, default: '5' });
});

it('tells objects that take no other member, that take any, and that may gain some', () => {
  expect(write(v.strictObject({}), 'input')).toEqual({ type: 'object', properties: {}, additionalProperties: false });
  expect(write(v.looseObject({}), 'output')).toEqual({ type: 'object', properties: {}, additionalProperties: true });
  expect(write(v.object({ a: v.literal(1) }), 'output')).toEqual({
    type: 'object',
    properties: { a: { const: 1 } },
    required: ['a'],
  });
});

it('does not write what it would have to guess', () => {
  expect(() => write(v.object({ a: v.instance(Map) }), 'output')).toThrow('instance');
});
