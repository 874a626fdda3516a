import { expect, it } from 'vitest';
import { RateLimitProperties } from '../../identity/account/account.properties.js';
import type { PasswordHasher } from '../../identity/account/password/password-hasher.js';
import { DeviceCookies } from '../../identity/account/throttle/device-cookies.service.js';
import { SystemClock } from '../../kernel/clock/clock.js';
import { SystemRandom } from '../../kernel/random/random.js';
import { Sealer } from '../../platform/sealing/sealer.js';
import { DEVICE } from '../../signin/auth/cookies.js';
import { PasswordSignIns } from './password-sign-ins.js';

const SUBJECT = '01893b1e-6f80-7000-8000-000000000001';
const PACE = { workers: 2, millis: 10 };

const random = new SystemRandom();
const sealer = new Sealer('key', new Map([['key', random.bytes(32)]]), random);
const devices = new DeviceCookies(sealer, new SystemClock(), random, new RateLimitProperties());
const signIns = new PasswordSignIns();

it('before the services exist, no device is known and no pace is measured', () => {
  const early = new PasswordSignIns();

  expect(early.ownerOfDevice({ cookie: `${DEVICE}=${devices.issue(SUBJECT)}` })).toBeUndefined();
  expect(early.pace().millis).toBeUndefined();
});

it('the pace is that of the hasher', () => {
  signIns.connect({ pace: PACE } as PasswordHasher, devices);

  expect(signIns.pace()).toEqual(PACE);
});

it('a device cookie names its owner wherever it is among the cookies', () => {
  signIns.connect({ pace: PACE } as PasswordHasher, devices);
  const cookie = `${DEVICE}=${devices.issue(SUBJECT)}`;

  for (const header of [cookie, `a=1; ${cookie}`, `${cookie};b=2`, `${DEVICE}=forged; ${cookie}; ${DEVICE}=x`]) {
    expect(signIns.ownerOfDevice({ cookie: header }), header).toBe(SUBJECT);
  }
});

it('another cookie, or none, names nobody', () => {
  signIns.connect({ pace: PACE } as PasswordHasher, devices);
  const value = devices.issue(SUBJECT);

  for (const header of [`x${DEVICE}=${value}`, `${DEVICE}x=${value}`, `${DEVICE}=${value}x`, `${DEVICE}=`, '']) {
    expect(signIns.ownerOfDevice({ cookie: header }), header).toBeUndefined();
  }
  expect(signIns.ownerOfDevice({})).toBeUndefined();
});
