import { expect, it } from 'vitest';
import type { Amr, RequiredAmr } from '../../principal/amr.js';
import type { FullPrincipal, HalfPrincipal } from '../../principal/principal.js';
import { hasAnyAuthority, preMfaRefusal, satisfiesAmr } from './access.js';

const half = { kind: 'half', subject: 's', id: 'i', securityStamp: 0, expiresAt: 180, authTime: 0 } as const;
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
    expect(preMfaRefusal(principal, { isSecondFactor, alsoHalfAuthenticated: open })).toBe(code);
  },
);

it('a half-authenticated caller has ROLE_PRE_MFA and no other authority', () => {
  expect(hasAnyAuthority(HALF_SESSION, ['ROLE_PRE_MFA'])).toBe(true);
  expect(hasAnyAuthority(HALF_SESSION, ['ROLE_USER', 'ROLE_ADMIN'])).toBe(false);
  expect(hasAnyAuthority(FULL, ['ROLE_USER'])).toBe(true);
  expect(hasAnyAuthority(FULL, ['ROLE_HELPDESK', 'ROLE_ADMIN'])).toBe(true);
  expect(hasAnyAuthority(FULL, ['ROLE_PRE_MFA'])).toBe(false);
});

const OTP: Amr = ['pwd', 'otp'];
const HWK: Amr = ['pwd', 'hwk'];
const SWK: Amr = ['pwd', 'swk'];

it.each<{ amr: Amr; required: RequiredAmr; now: number; enough: boolean }>([
  { amr: OTP, required: { method: 'otp', maxAge: 300 }, now: 400, enough: true },
  { amr: OTP, required: { method: 'otp', maxAge: 300 }, now: 401, enough: false },
  { amr: OTP, required: { method: 'otp' }, now: 1e9, enough: true },
  { amr: OTP, required: { method: 'mfa', maxAge: 300 }, now: 400, enough: true },
  { amr: OTP, required: { method: 'mfa', maxAge: 300 }, now: 401, enough: false },
  { amr: HWK, required: { method: 'mfa', maxAge: 300 }, now: 400, enough: true },
  { amr: HWK, required: { method: 'mfa', maxAge: 300 }, now: 401, enough: false },
  { amr: HWK, required: { method: 'mfa' }, now: 1e9, enough: true },
  { amr: HWK, required: { method: 'otp' }, now: 100, enough: false },
  { amr: HWK, required: { method: 'otp', maxAge: 300 }, now: 100, enough: false },
  { amr: SWK, required: { method: 'mfa', maxAge: 300 }, now: 400, enough: true },
  { amr: SWK, required: { method: 'otp' }, now: 100, enough: false },
  { amr: ['pwd'], required: { method: 'otp', maxAge: 300 }, now: 100, enough: false },
  { amr: ['pwd'], required: { method: 'mfa', maxAge: 300 }, now: 100, enough: false },
  { amr: ['pwd'], required: { method: 'mfa' }, now: 100, enough: false },
])(
  'a login with amr $amr and a proof at second 100 satisfies $required at second $now: $enough',
  ({ amr, required, now, enough }) => {
    expect(satisfiesAmr({ ...FULL, amr }, required, now)).toBe(enough);
  },
);

it.each(['otp', 'mfa'] as const)('a login without a proven time satisfies %s only without a maximum age', (method) => {
  const { mfaAt, ...undated } = FULL;

  expect(mfaAt).toBeDefined();
  expect(satisfiesAmr(undated, { method }, 100)).toBe(true);
  expect(satisfiesAmr(undated, { method, maxAge: 300 }, 100)).toBe(false);
});
