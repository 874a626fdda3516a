import { expect, it } from 'vitest';
import type { RouteAccess } from '../../../platform/web/openapi/api.js';
import type { RequiredAmr } from '../../../kernel/principal/amr.js';
import { API, SCHEMES } from './api.js';

const CLOSED: RouteAccess = {
  method: 'GET',
  template: '/me',
  isPublic: false,
  isSecondFactor: false,
  alsoHalfAuthenticated: false,
};
const BY_LOGIN = ['accessToken', 'session'];

it.each<[string, Partial<RouteAccess>, readonly string[], readonly string[]]>([
  ['a protected route', {}, BY_LOGIN, ['INVALID_TOKEN', 'MFA_REQUIRED', 'RATE_LIMITED']],
  [
    'a state-changing route',
    { method: 'POST' },
    BY_LOGIN,
    ['INVALID_TOKEN', 'MFA_REQUIRED', 'RATE_LIMITED', 'CROSS_SITE'],
  ],
  ['a public route', { isPublic: true }, [], ['RATE_LIMITED']],
  ['a public state-changing route', { isPublic: true, method: 'DELETE' }, [], ['RATE_LIMITED', 'CROSS_SITE']],
  [
    'a second-factor route',
    { template: '/2fa', isSecondFactor: true },
    BY_LOGIN,
    ['INVALID_TOKEN', 'MFA_TOKEN_INVALID', 'MFA_REQUIRED', 'RATE_LIMITED'],
  ],
  [
    'a second-factor route for half-authenticated callers',
    { template: '/2fa/verify', isSecondFactor: true, alsoHalfAuthenticated: true },
    [...BY_LOGIN, 'mfaToken'],
    ['INVALID_TOKEN', 'MFA_TOKEN_INVALID', 'RATE_LIMITED'],
  ],
  [
    'a route that requires an authority',
    { authorities: ['ROLE_ADMIN'] },
    BY_LOGIN,
    ['INVALID_TOKEN', 'MFA_REQUIRED', 'ACCESS_DENIED', 'RATE_LIMITED'],
  ],
  [
    'a route that requires a one-time code',
    { amr: { method: 'otp' } },
    BY_LOGIN,
    ['INVALID_TOKEN', 'MFA_REQUIRED', 'STEP_UP_REQUIRED', 'RATE_LIMITED'],
  ],
  [
    'a route that requires any second factor',
    { amr: { method: 'mfa', maxAge: 300 } },
    BY_LOGIN,
    ['INVALID_TOKEN', 'MFA_REQUIRED', 'STEP_UP_REQUIRED', 'RATE_LIMITED'],
  ],
])(
  'the description of %s has the credentials that its guards accept and the codes of their rejections',
  (_, access, by, errors) => {
    const demands = API.requirements({ ...CLOSED, ...access });

    expect(demands.security).toEqual(by);
    expect(demands.errors).toEqual(errors);
    expect(Object.keys(API.securitySchemes)).toEqual(expect.arrayContaining([...by]));
  },
);

it.each<[RequiredAmr, string]>([
  [{ method: 'otp' }, 'Requires `otp` in `amr`, proven in this session.'],
  [{ method: 'otp', maxAge: 300 }, 'Requires `otp` in `amr`, proven at most 300 seconds ago.'],
  [
    { method: 'mfa', maxAge: 300 },
    'Requires a second factor in `amr` (`otp`, `hwk` or `swk`), proven at most 300 seconds ago.',
  ],
])('the notes of a route state the required authority and the required proof %j', (amr, note) => {
  const { notes } = API.requirements({ ...CLOSED, authorities: ['ROLE_ADMIN', 'ROLE_HELPDESK'], amr });

  expect(notes).toEqual(['Requires the authority `ROLE_ADMIN` or `ROLE_HELPDESK`.', note]);
});

it('the scheme of access tokens names the audience that the routes of accounts and administration demand', () => {
  expect(API.securitySchemes[SCHEMES.accessToken]).toMatchObject({
    description: expect.stringContaining('`resource=login-api`') as string,
  });
});
