import { expect, it } from 'vitest';
import type { Amr, RequiredFactor } from './amr.js';
import { type FullPrincipal, hasFreshFactor } from './principal.js';

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

const OTP: Amr = ['pwd', 'otp'];
const HWK: Amr = ['pwd', 'hwk'];
const SWK: Amr = ['pwd', 'swk'];

it.each<{ amr: Amr; required: RequiredFactor; now: number; enough: boolean }>([
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
  { amr: OTP, required: { method: 'passkey' }, now: 100, enough: false },
  { amr: HWK, required: { method: 'passkey', maxAge: 300 }, now: 400, enough: true },
  { amr: SWK, required: { method: 'passkey', maxAge: 300 }, now: 401, enough: false },
  { amr: ['pwd'], required: { method: 'otp', maxAge: 300 }, now: 100, enough: false },
  { amr: ['pwd'], required: { method: 'mfa', maxAge: 300 }, now: 100, enough: false },
  { amr: ['pwd'], required: { method: 'mfa' }, now: 100, enough: false },
])(
  'a login with amr $amr and a proof at second 100 satisfies $required at second $now: $enough',
  ({ amr, required, now, enough }) => {
    expect(hasFreshFactor({ ...FULL, amr }, required, now)).toBe(enough);
  },
);

it.each(['otp', 'mfa', 'passkey'] as const)(
  'a login without a proven time satisfies %s only without a maximum age',
  (method) => {
    const { mfaAt, ...undated } = FULL;

    expect(mfaAt).toBeDefined();
    expect(hasFreshFactor({ ...undated, amr: [...OTP, 'hwk'] }, { method }, 100)).toBe(true);
    expect(hasFreshFactor({ ...undated, amr: [...OTP, 'hwk'] }, { method, maxAge: 300 }, 100)).toBe(false);
  },
);
