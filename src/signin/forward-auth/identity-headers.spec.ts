import { expect, it } from 'vitest';
import { identityHeaders } from './identity-headers.js';

const ACCOUNT = { loginId: 'anna', displayName: 'Anna 김', email: 'anna@example.com', emailVerified: true };

it('the headers of a user state who it is and how it signed in', () => {
  const headers = identityHeaders({ account: { ...ACCOUNT, groups: ['ops', 'night shift'] }, amr: ['pwd', 'otp'] });

  expect(headers).toEqual({
    'remote-user': 'anna',
    'remote-name': 'Anna %EA%B9%80',
    'remote-email': 'anna@example.com',
    'remote-email-verified': 'true',
    'remote-groups': 'ops,night shift',
    'remote-amr': 'pwd,otp',
    'remote-acr': 'urn:login:acr:mfa',
  });
});

it('the headers without a user have the same names and no values', () => {
  const known = identityHeaders({ account: { loginId: 'a', emailVerified: false, groups: [] }, amr: ['pwd'] });

  expect(Object.keys(identityHeaders(undefined))).toEqual(Object.keys(known));
  expect(new Set(Object.values(identityHeaders(undefined)))).toEqual(new Set(['']));
  expect(known).toMatchObject({ 'remote-email': '', 'remote-email-verified': '' });
});

it.each([
  ['a b', 'a b'],
  [' a ', '%20a%20'],
  ['50%', '50%25'],
  ['a\r\nb', 'a%0D%0Ab'],
  ['\u0000\u007f', '%00%7F'],
  ['é😀', '%C3%A9%F0%9F%98%80'],
  ['\ud800', '%EF%BF%BD'],
])('%j is written as %s', (text, written) => {
  const account = { loginId: text, emailVerified: false, groups: [] };

  expect(identityHeaders({ account, amr: ['pwd'] })['remote-user']).toBe(written);
});
