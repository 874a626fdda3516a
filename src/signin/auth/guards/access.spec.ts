import { expect, it } from 'vitest';
import type { FullPrincipal, HalfPrincipal } from '../../../kernel/principal/principal.js';
import { hasAnyAuthority, preMfaRejection } from './access.js';

const half = {
  kind: 'half',
  subject: 's',
  id: 'i',
  amr: ['pwd'],
  securityStamp: 0,
  expiresAt: 180,
  authTime: 0,
} as const;
const MFA_TOKEN: HalfPrincipal = { ...half, via: 'token' };
const HALF_SESSION: HalfPrincipal = { ...half, via: 'session' };
const FULL: FullPrincipal = {
  kind: 'full',
  subject: 's',
  sid: 'x',
  via: 'token',
  roles: ['ROLE_ADMIN'],
  amr: ['pwd', 'otp'],
  authTime: 100,
  mfaAt: 100,
};

it.each([
  {
    who: 'an mfa_token',
    principal: MFA_TOKEN,
    route: '/me',
    isSecondFactor: false,
    open: false,
    code: 'INVALID_TOKEN',
  },
  {
    who: 'a half-authenticated session',
    principal: HALF_SESSION,
    route: '/me',
    isSecondFactor: false,
    open: false,
    code: 'MFA_REQUIRED',
  },
  {
    who: 'a half-authenticated session',
    principal: HALF_SESSION,
    route: '/me',
    isSecondFactor: false,
    open: true,
    code: 'MFA_REQUIRED',
  },
  {
    who: 'an mfa_token',
    principal: MFA_TOKEN,
    route: '/2fa/disable',
    isSecondFactor: true,
    open: false,
    code: 'MFA_REQUIRED',
  },
  {
    who: 'a half-authenticated session',
    principal: HALF_SESSION,
    route: '/2fa/disable',
    isSecondFactor: true,
    open: false,
    code: 'MFA_REQUIRED',
  },
  {
    who: 'an mfa_token',
    principal: MFA_TOKEN,
    route: '/2fa/verify',
    isSecondFactor: true,
    open: true,
    code: undefined,
  },
  {
    who: 'a half-authenticated session',
    principal: HALF_SESSION,
    route: '/2fa/verify',
    isSecondFactor: true,
    open: true,
    code: undefined,
  },
  { who: 'a full login', principal: FULL, route: '/me', isSecondFactor: false, open: false, code: undefined },
])(
  '$who on $route is rejected with $code (route accepts half-authenticated callers: $open)',
  ({ principal, isSecondFactor, open, code }) => {
    expect(preMfaRejection(principal, { isSecondFactor, alsoHalfAuthenticated: open })).toBe(code);
  },
);

it('a half-authenticated caller has ROLE_PRE_MFA and no other authority', () => {
  expect(hasAnyAuthority(HALF_SESSION, ['ROLE_PRE_MFA'])).toBe(true);
  expect(hasAnyAuthority(HALF_SESSION, ['ROLE_USER', 'ROLE_ADMIN'])).toBe(false);
  expect(hasAnyAuthority(FULL, ['ROLE_USER'])).toBe(true);
  expect(hasAnyAuthority(FULL, ['ROLE_HELPDESK', 'ROLE_ADMIN'])).toBe(true);
  expect(hasAnyAuthority(FULL, ['ROLE_PRE_MFA'])).toBe(false);
});
