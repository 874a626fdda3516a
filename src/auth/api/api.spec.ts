import { expect, it } from 'vitest';
import type { RouteAccess } from '../../web/openapi/api.js';
import { API } from './api.js';

const CLOSED: RouteAccess = {
  method: 'GET',
  template: '/me',
  isPublic: false,
  isSecondFactor: false,
  alsoHalfAuthenticated: false,
};
const BY_LOGIN = ['accessToken', 'session'];

it.each<[string, Partial<RouteAccess>, readonly string[], readonly string[]]>([
  ['a closed route', {}, BY_LOGIN, ['INVALID_TOKEN', 'MFA_REQUIRED']],
  ['one that changes something', { method: 'POST' }, BY_LOGIN, ['INVALID_TOKEN', 'MFA_REQUIRED', 'CROSS_SITE']],
  ['an open one', { isPublic: true }, [], []],
  ['an open one that changes something', { isPublic: true, method: 'DELETE' }, [], ['CROSS_SITE']],
  [
    'one of the second factor',
    { template: '/2fa', isSecondFactor: true },
    BY_LOGIN,
    ['INVALID_TOKEN', 'MFA_TOKEN_INVALID', 'MFA_REQUIRED'],
  ],
  [
    'one for half-authenticated callers, too',
    { template: '/2fa/verify', isSecondFactor: true, alsoHalfAuthenticated: true },
    [...BY_LOGIN, 'mfaToken'],
    ['INVALID_TOKEN', 'MFA_TOKEN_INVALID'],
  ],
  [
    'one that asks for an authority',
    { authority: 'ROLE_ADMIN' },
    BY_LOGIN,
    ['INVALID_TOKEN', 'MFA_REQUIRED', 'ACCESS_DENIED'],
  ],
  [
    'one that asks for the second factor',
    { amr: { method: 'otp' } },
    BY_LOGIN,
    ['INVALID_TOKEN', 'MFA_REQUIRED', 'STEP_UP_REQUIRED'],
  ],
])('%s is described with what the guards take and refuse', (_, access, by, refuses) => {
  const demands = API.requirements({ ...CLOSED, ...access });

  expect(demands.security).toEqual(by);
  expect(demands.errors).toEqual(refuses);
  expect(Object.keys(API.securitySchemes)).toEqual(expect.arrayContaining([...by]));
});

it('what must be proven is said in words', () => {
  const { notes } = API.requirements({ ...CLOSED, authority: 'ROLE_ADMIN', amr: { method: 'otp', maxAge: 300 } });

  expect(notes).toEqual([
    'Asks for the authority `ROLE_ADMIN`.',
    'Asks for `otp` in `amr`, proven not longer than 300 seconds ago.',
  ]);
});
