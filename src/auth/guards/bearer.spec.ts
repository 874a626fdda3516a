import { expect, it } from 'vitest';
import { parseClientCredentials, parseBasic, parseBearer, hasMfaTokenType } from './bearer.js';

const header = (json: string): string => `${Buffer.from(json).toString('base64url')}.e30.sig`;

it.each([
  { token: header('{"typ":"mfa+jwt","alg":"HS256"}'), half: true },
  { token: header('{"typ":"at+jwt","alg":"ES256"}'), half: false },
  { token: header('{"typ":["mfa+jwt"]}'), half: false },
  { token: header('null'), half: false },
  { token: header('not json'), half: false },
  { token: '', half: false },
  { token: '....', half: false },
])('$token says that it is an mfa_token: $half', ({ token, half }) => {
  expect(hasMfaTokenType(token)).toBe(half);
});

it.each([
  { value: 'Bearer abc.def-_~+/=', token: 'abc.def-_~+/=' },
  { value: 'bearer abc', token: 'abc' },
  { value: 'Bearer   abc ', token: 'abc' },
  { value: 'Bearer a b', token: undefined },
  { value: 'Bearer', token: undefined },
  { value: 'Bearer ', token: undefined },
  { value: 'Basic abc', token: undefined },
  { value: 'Bearer abc, Bearer def', token: undefined },
])('the token of "$value" is $token', ({ value, token }) => {
  expect(parseBearer(value)).toBe(token);
});

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

it.each([
  { value: basic('api:s3cret'), credentials: { name: 'api', secret: 's3cret' } },
  { value: basic('api:a:b'), credentials: { name: 'api', secret: 'a:b' } },
  { value: basic('my%20api:a%2Bb'), credentials: { name: 'my api', secret: 'a+b' } },
  { value: basic('api:100%'), credentials: { name: 'api', secret: '100%' } },
  { value: basic('api'), credentials: undefined },
  { value: 'Bearer abc', credentials: undefined },
])('the credentials of $value are $credentials', ({ value, credentials }) => {
  expect(parseClientCredentials(value)).toEqual(credentials);
});

it.each([
  { value: basic('op:100%+b:%41'), pair: { name: 'op', secret: '100%+b:%41' } },
  { value: basic('bétty:비밀'), pair: { name: 'bétty', secret: '비밀' } },
  { value: basic(':'), pair: { name: '', secret: '' } },
  { value: basic('op'), pair: undefined },
  { value: 'Basic', pair: undefined },
  { value: 'Bearer b3A6eA==', pair: undefined },
])('name and secret of $value are $pair, as they were typed', ({ value, pair }) => {
  expect(parseBasic(value)).toEqual(pair);
});
