import { beforeEach, describe, expect, it } from 'vitest';
import { Clock } from '../../../kernel/clock/clock.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { withRequestContext } from '../../../kernel/principal/request-context.js';
import { SystemRandom } from '../../../kernel/random/random.js';
import { Sealer } from '../../../platform/sealing/sealer.js';
import { DeviceCookies } from './device-cookies.service.js';
import { type Guessed, GuessThrottle } from './guess-throttle.service.js';
import { RateLimitProperties } from '../account.properties.js';
import { GuessFailures } from './shared-failures.js';

class HandClock extends Clock {
  now = 1_800_000_000_000;

  millis(): number {
    return this.now;
  }
}

describe('GuessThrottle', () => {
  const random = new SystemRandom();
  const clock = new HandClock();
  let throttle: GuessThrottle;
  const open = (properties: RateLimitProperties): GuessThrottle => {
    const sealer = new Sealer('test', new Map([['test', random.bytes(32)]]), random);
    return new GuessThrottle(
      clock,
      properties,
      new DeviceCookies(sealer, clock, random, properties),
      new GuessFailures(),
    );
  };
  /** `compared`, or the reason of the rejection. */
  const attempt = (ip: string, guessed: Guessed, isRight = false): Promise<string> =>
    withRequestContext({ requestId: 'request', ip }, () =>
      throttle.guard(
        guessed,
        () => Promise.resolve('compared'),
        () => isRight,
      ),
    ).catch((error: unknown) => (error instanceof ServiceError ? (error.facts.reason ?? '') : 'defect'));
  const spray = async (ip: (index: number) => string, from: number, to: number): Promise<readonly string[]> => {
    const answers: string[] = [];
    for (let index = from; index < to; index += 1) answers.push(await attempt(ip(index), { loginId: `user${index}` }));
    return answers;
  };

  beforeEach(() => {
    throttle = open(new RateLimitProperties());
  });

  it('P3: delays an address that tries one password for many login ids, and no other address', async () => {
    const answers = await spray(() => '192.0.2.1', 0, 310);

    expect(answers.slice(0, 300).every((answer) => answer === 'compared')).toBe(true);
    expect(answers.slice(300).every((answer) => answer === 'address')).toBe(true);
    expect(await attempt('192.0.2.2', { loginId: 'user400' })).toBe('compared');
  });

  /** Sends wrong passwords for few login ids, 40 a second for a minute; returns how many were compared. */
  const guessAt = async (ids: number): Promise<number> => {
    let compared = 0;
    for (let round = 0; round < 2400; round += 1) {
      const answer = await attempt('192.0.2.1', { loginId: `guessed${round % ids}` });
      if (answer === 'compared') compared += 1;
      clock.now += 25;
    }
    return compared;
  };

  it.each([1, 40, 99])(
    'H5: does not delay another login id at an address that guesses at %i login ids',
    async (ids) => {
      const compared = await guessAt(ids);

      const answers: string[] = [];
      for (const isRight of [false, false, true, true]) {
        answers.push(await attempt('192.0.2.1', { loginId: 'colleague' }, isRight));
      }
      expect(answers).toEqual(Array.from(answers, () => 'compared'));
      // Each of the two lanes has 300, and one more every two seconds.
      expect(compared).toBeLessThanOrEqual(2 * (300 + 30));
    },
  );

  it('H5: delays every login id at an address that keeps trying new login ids', async () => {
    await spray(() => '192.0.2.1', 0, 310);

    expect(await attempt('192.0.2.1', { loginId: 'colleague' }, true)).toBe('address');
    clock.now += 2000;
    expect(await attempt('192.0.2.1', { loginId: 'colleague' }, true)).toBe('compared');
  });

  it('H5: counts a burst for one login id like a sequence', async () => {
    await Promise.all(
      Array.from({ length: 40 }, (_, id) =>
        Promise.all(Array.from({ length: 10 }, () => attempt('192.0.2.1', { loginId: `burst${id}` }))),
      ),
    );

    expect(await attempt('192.0.2.1', { loginId: 'colleague' }, true)).toBe('compared');
  });

  it('P3: counts all addresses of one IPv6 /64 together', async () => {
    const answers = await spray((index) => `2001:db8:1:2::${index.toString(16)}`, 0, 301);

    expect(answers.at(-1)).toBe('address');
    expect(await attempt('2001:db8:1:3::1', { loginId: 'user400' })).toBe('compared');
  });

  it('P3: does not delay known browsers and signed-in users at an address beyond its limit', async () => {
    await spray(() => '192.0.2.1', 0, 301);

    const device = { subject: 'anna', id: 'browser' };
    expect(await attempt('192.0.2.1', { device }, true)).toBe('compared');
    expect(await attempt('192.0.2.1', { subject: 'anna' }, true)).toBe('compared');
    expect(await attempt('192.0.2.1', { loginId: 'anna' }, true)).toBe('address');
  });

  it('P3: delays guessing at a client, in a known browser and by a signed-in user', async () => {
    for (const guessed of [{ client: 'shop' }, { device: { subject: 'anna', id: 'browser' } }, { subject: 'anna' }]) {
      for (let time = 0; time < 10; time += 1) expect(await attempt('192.0.2.1', guessed)).toBe('compared');

      expect(await attempt('192.0.2.1', guessed)).toBe(Object.keys(guessed)[0]);
    }
  });

  it('P3: guesses from another address do not delay the owner of the login id', async () => {
    for (let time = 0; time < 2000; time += 1) {
      await attempt('192.0.2.1', { loginId: 'anna' });
      clock.now += 40;
    }

    expect(await attempt('192.0.2.1', { loginId: 'anna' })).toBe('login_id');
    expect(await attempt('192.0.2.2', { loginId: 'anna' }, true)).toBe('compared');
    expect(await attempt('192.0.2.2', { loginId: 'anna' }, true)).toBe('compared');
  });

  it('P3: allows each address one attempt without a delay for a login id under attack', async () => {
    for (let index = 0; index < 100; index += 1) await attempt(`198.51.100.${index}`, { loginId: 'anna' });

    expect(await attempt('192.0.2.1', { loginId: 'anna' })).toBe('compared');
    expect(await attempt('192.0.2.1', { loginId: 'anna' })).toBe('login_id');
    expect(await attempt('192.0.2.2', { loginId: 'anna' }, true)).toBe('compared');
    expect(await attempt('192.0.2.1', { loginId: 'bert' })).toBe('compared');
  });

  it('P3: remembers the failures for a login id while 30,000 others fail at other addresses', async () => {
    for (let time = 0; time < 10; time += 1) await attempt('192.0.2.1', { loginId: 'anna' });

    await spray((index) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`, 0, 30_000);

    expect(await attempt('192.0.2.1', { loginId: 'anna' })).toBe('login_id');
  });

  it('does not delay anything if it is disabled', async () => {
    throttle = open(Object.assign(new RateLimitProperties(), { enabled: false }));

    const answers = await Promise.all(Array.from({ length: 50 }, () => attempt('192.0.2.1', { loginId: 'anna' })));

    expect(new Set(answers)).toEqual(new Set(['compared']));
  });
});
