import { expect, it } from 'vitest';
import { parseBasic, parseBearer } from './authorization-header.js';

it.each([
  { value: 'Bearer abc.def-_~+/=', token: 'abc.def-_~+/=' },
  { value: 'bearer abc', token: 'abc' },
  { value: 'Bearer   abc ', token: 'abc' },
  { value: 'Bearer a b', token: undefined },
  { value: 'Bearer', token: undefined },
  { value: 'Bearer ', token: undefined },
  { value: 'Basic abc', token: undefined },
  { value: 'Bearer abc, Bearer def', token: undefined },
])('the bearer token of "$value" is $token', ({ value, token }) => {
  expect(parseBearer(value)).toBe(token);
});

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

it.each([
  { value: basic('op:100%+b:%41'), pair: { name: 'op', secret: '100%+b:%41' } },
  { value: basic('bétty:비밀'), pair: { name: 'bétty', secret: '비밀' } },
  { value: basic(':'), pair: { name: '', secret: '' } },
  { value: basic('op'), pair: undefined },
  { value: 'Basic', pair: undefined },
  { value: 'Bearer b3A6eA==', pair: undefined },
])('the Basic credentials of $value are $pair, without form decoding', ({ value, pair }) => {
  expect(parseBasic(value)).toEqual(pair);
});
