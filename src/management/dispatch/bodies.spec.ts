import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { isJsonValue, jsonText } from './bodies.js';

it.each([
  [{ a: 1, none: null, nor: undefined, inside: { none: null } }, '{"a":1,"inside":{}}'],
  [{ empty: {}, list: [], text: '', zero: 0, no: false }, '{"empty":{},"list":[],"text":"","zero":0,"no":false}'],
  [{ at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
  [[{ none: null }], '[{}]'],
])('jsonText omits only the null members of %j', (body, text) => {
  expect(jsonText(body)).toBe(text);
});

it.each([
  ['an object', {}, true],
  ['a list', [], true],
  ['a number', 1, true],
  ['a text', '{}', false],
  ['bytes', Buffer.from('{}'), false],
  ['a stream', Readable.from([]), false],
  ['nothing', undefined, false],
])('isJsonValue is decided for %s', (_, body, expected) => {
  expect(isJsonValue(body)).toBe(expected);
});
