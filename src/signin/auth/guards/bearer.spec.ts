import { expect, it } from 'vitest';
import { hasMfaTokenType, parseClientCredentials } from './bearer.js';

const header = (json: string): string => `${Buffer.from(json).toString('base64url')}.e30.sig`;

it.each([
  { token: header('{"typ":"mfa+jwt","alg":"HS256"}'), half: true },
  { token: header('{"typ":"at+jwt","alg":"ES256"}'), half: false },
  { token: header('{"typ":["mfa+jwt"]}'), half: false },
  { token: header('null'), half: false },
  { token: header('not json'), half: false },
  { token: '', half: false },
  { token: '....', half: false },
])('the header of token $token declares an mfa_token: $half', ({ token, half }) => {
  expect(hasMfaTokenType(token)).toBe(half);
});

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

it.each([
  { value: basic('api:s3cret'), credentials: { name: 'api', secrets: ['s3cret', 's3cret'] } },
  { value: basic('api:a:b'), credentials: { name: 'api', secrets: ['a:b', 'a:b'] } },
  { value: basic('my%20api:a%2Bb'), credentials: { name: 'my api', secrets: ['a+b', 'a%2Bb'] } },
  { value: basic('api:a+b'), credentials: { name: 'api', secrets: ['a b', 'a+b'] } },
  { value: basic('api:100%'), credentials: { name: 'api', secrets: ['100%', '100%'] } },
  { value: basic('api'), credentials: undefined },
  { value: 'Bearer abc', credentials: undefined },
])('the client credentials in $value are $credentials', ({ value, credentials }) => {
  expect(parseClientCredentials(value)).toEqual(credentials);
});
