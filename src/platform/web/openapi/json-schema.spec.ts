import { expect, it } from 'vitest';
import * as v from 'valibot';
import { withJsonSchema, listOf, textOfBytes } from '../schema.js';
import { schemaWriter } from './json-schema.js';

const write = schemaWriter({ type: 'integer' });

it('an instant has the configured form and keeps its description', () => {
  expect(write(v.pipe(v.date(), v.description('When.')), 'output')).toEqual({ type: 'integer', description: 'When.' });
});

it('a check without equivalent in JSON Schema is omitted, and its metadata are kept', () => {
  const even = v.pipe(
    v.string(),
    v.check((text) => text.length % 2 === 0),
    v.metadata({ pattern: '^(?:..)*$' }),
  );

  expect(write(even, 'input')).toEqual({ type: 'string', pattern: '^(?:..)*$' });
  expect(write(listOf(v.boolean()), 'output')).toEqual({ type: 'array', items: { type: 'boolean' } });
});

it('a limit in bytes becomes the same limit in characters', () => {
  expect(write(textOfBytes(16), 'output')).toEqual({ type: 'string', minLength: 1, maxLength: 16 });
});

it('M5: text in a request must not contain NUL', () => {
  expect(write(v.string(), 'input')).toEqual({ type: 'string', pattern: '^[^\\u0000]*$' });
  expect(write(v.string(), 'output')).toEqual({ type: 'string' });
});

it('withJsonSchema replaces the schema of the text', () => {
  const number = v.pipe(
    v.string(),
    v.regex(/^\d$/),
    withJsonSchema({ type: 'integer', maximum: 9 }),
    v.transform(Number),
  );

  expect(write(v.optional(number, '5'), 'input')).toEqual({ type: 'integer', maximum: 9, default: '5' });
});

it('strict, loose and plain objects differ in additionalProperties', () => {
  expect(write(v.strictObject({}), 'input')).toEqual({ type: 'object', properties: {}, additionalProperties: false });
  expect(write(v.looseObject({}), 'output')).toEqual({ type: 'object', properties: {}, additionalProperties: true });
  expect(write(v.object({ a: v.literal(1) }), 'output')).toEqual({
    type: 'object',
    properties: { a: { const: 1 } },
    required: ['a'],
  });
});

it('a schema without equivalent in JSON Schema is rejected', () => {
  expect(() => write(v.object({ a: v.instance(Map) }), 'output')).toThrow('instance');
});
