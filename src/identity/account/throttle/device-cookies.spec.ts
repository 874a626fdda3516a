import { describe, expect, it } from 'vitest';
import { Clock } from '../../../kernel/clock/clock.js';
import { SystemRandom } from '../../../kernel/random/random.js';
import { Sealer } from '../../../platform/sealing/sealer.js';
import { DeviceCookies } from './device-cookies.service.js';
import { RateLimitProperties } from '../account.properties.js';

const SUBJECT = '01893b1e-6f80-7000-8000-000000000001';
const OTHER = '01893b1e-6f80-7000-8000-000000000002';

class HandClock extends Clock {
  now = 1_800_000_000_000;

  millis(): number {
    return this.now;
  }
}

describe('a device cookie', () => {
  const random = new SystemRandom();
  const clock = new HandClock();
  const cookies = (sealer: Sealer): DeviceCookies =>
    new DeviceCookies(sealer, clock, random, new RateLimitProperties());
  const old = random.bytes(32);
  const devices = cookies(new Sealer('old', new Map([['old', old]]), random));

  it('names its subject and has an id of its own', () => {
    const [one, two] = [devices.verify(devices.issue(SUBJECT)), devices.verify(devices.issue(SUBJECT))];

    expect(one?.subject).toBe(SUBJECT);
    expect(two?.id).not.toBe(one?.id);
  });

  it('is rejected if it is foreign or changed', () => {
    const cookie = devices.issue(SUBJECT);
    const foreign = cookies(new Sealer('old', new Map([['old', random.bytes(32)]]), random));
    const bent = [
      foreign.issue(SUBJECT),
      cookie.replace(SUBJECT, OTHER),
      cookie.replace(/\.(\d+)\./, (_, at: string) => `.${Number(at) + 1}.`),
      cookie.slice(0, -1),
      `${cookie}A`,
      cookie.split('.').slice(0, 3).join('.'),
      '',
      '....',
      'x'.repeat(100_000),
    ];

    for (const value of bent) expect(devices.verify(value), value.slice(0, 200)).toBeUndefined();
  });

  it('expires after its lifetime', () => {
    const cookie = devices.issue(SUBJECT);
    clock.now += (devices.maxAge - 1) * 1000;
    expect(devices.verify(cookie)).toBeDefined();
    clock.now += 1000;

    expect(devices.verify(cookie)).toBeUndefined();
  });

  it('is still accepted after a change of the seal key', () => {
    const cookie = devices.issue(SUBJECT);
    const keys = new Map([
      ['old', old],
      ['new', random.bytes(32)],
    ]);
    const later = cookies(new Sealer('new', keys, random));

    expect(later.verify(cookie)?.subject).toBe(SUBJECT);
    expect(devices.verify(later.issue(SUBJECT))).toBeUndefined();
  });
});
