import { expect, it } from 'vitest';
import type { FullPrincipal, HalfPrincipal } from '../../principal/principal.js';
import { hasAuthority, isSecondFactorRoute, preMfaRefusal, satisfiesAmr, stepUpChallenge } from './access.js';

const half = { kind: 'half', subject: 's', id: 'i', securityStamp: 0, expiresAt: 180, authTime: 0 } as const;
const HALF_TOKEN: HalfPrincipal = { ...half, via: 'token' };
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
  { template: '/2fa', is: true },
  { template: '/2fa/verify', is: true },
  { template: '/2fab', is: false },
  { template: '/me/2fa/verify', is: false },
  { template: '/', is: false },
])('$template is a route of the second factor: $is', ({ template, is }) => {
  expect(isSecondFactorRoute(template)).toBe(is);
});

it.each([
  { who: 'a half token', principal: HALF_TOKEN, template: '/me', open: false, code: 'INVALID_TOKEN' },
  { who: 'a half session', principal: HALF_SESSION, template: '/me', open: false, code: 'MFA_REQUIRED' },
  { who: 'a half session', principal: HALF_SESSION, template: '/me', open: true, code: 'MFA_REQUIRED' },
  { who: 'a half token', principal: HALF_TOKEN, template: '/2fa/disable', open: false, code: 'MFA_REQUIRED' },
  { who: 'a half session', principal: HALF_SESSION, template: '/2fa/disable', open: false, code: 'MFA_REQUIRED' },
  { who: 'a half token', principal: HALF_TOKEN, template: '/2fa/verify', open: true, code: undefined },
  { who: 'a half session', principal: HALF_SESSION, template: '/2fa/verify', open: true, code: undefined },
  { who: 'a full login', principal: FULL, template: '/me', open: false, code: undefined },
])('$who on $template is answered $code', ({ principal, template, open, code }) => {
  expect(preMfaRefusal(principal, { template, alsoHalfAuthenticated: open })).toBe(code);
});

it('ROLE_PRE_MFA is all a half-authenticated caller has', () => {
  expect(hasAuthority(HALF_SESSION, 'ROLE_PRE_MFA')).toBe(true);
  expect(hasAuthority(HALF_SESSION, 'ROLE_USER')).toBe(false);
  expect(hasAuthority(FULL, 'ROLE_USER')).toBe(true);
  expect(hasAuthority(FULL, 'ROLE_ADMIN')).toBe(true);
  expect(hasAuthority(FULL, 'ROLE_PRE_MFA')).toBe(false);
});

it.each([
  { amr: ['pwd', 'otp'] as const, now: 400, maxAge: 300, enough: true },
  { amr: ['pwd', 'otp'] as const, now: 401, maxAge: 300, enough: false },
  { amr: ['pwd', 'otp'] as const, now: 1e9, maxAge: undefined, enough: true },
  { amr: ['pwd'] as const, now: 100, maxAge: 300, enough: false },
])('otp of second 100 with $amr at $now and maxAge $maxAge is enough: $enough', ({ amr, now, maxAge, enough }) => {
  const required = { method: 'otp', ...(maxAge !== undefined && { maxAge }) } as const;

  expect(satisfiesAmr({ ...FULL, amr }, required, now)).toBe(enough);
});

it('a missing step is named as RFC 9470 section 3 asks', () => {
  expect(stepUpChallenge({ method: 'otp', maxAge: 300 })).toBe(
    'Bearer error="insufficient_user_authentication", acr_values="urn:login:acr:mfa", max_age="300"',
  );
});
