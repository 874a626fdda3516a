import { describe, expect, it } from 'vitest';
import { CollectedLog } from '../../../test/support/programs/collected-log.js';
import { ManualClock } from '../../../test/support/programs/manual-clock.js';
import { Meters } from '../../observability/metrics/meters.js';
import { RouteLimitProperties } from './rate-limit.properties.js';
import { RateLimiter, type Subject } from './rate-limiter.service.js';
import { Rate } from './rate.js';
import { SharedStore } from './shared-store.service.js';

const ANNA: Subject = { group: 'sign-in', by: 'address', value: '192.0.2.7' };

function limiter(rates: Partial<RouteLimitProperties>) {
  const [clock, log, meters] = [new ManualClock(), new CollectedLog(), new Meters()];
  const properties = Object.assign(new RouteLimitProperties(), rates);
  const made = new RateLimiter(properties, new SharedStore(undefined), clock, log.loggers, meters);
  const headers = new Map<string, string>();
  const reply = { getHeader: (name: string) => headers.get(name), header: headers.set.bind(headers) };
  const admit = (...subjects: readonly Subject[]): Promise<boolean> =>
    made.admit(subjects, reply).then(
      () => true,
      () => false,
    );
  return { admit, clock, headers, log, meters };
}

describe('the limiter of routes', () => {
  it('L1: the log has one line for a limit in a window, without the addresses, and the meter counts every rejection', async () => {
    const { admit, clock, log, meters } = limiter({ signInPerAddress: Rate.of(1, 60) });

    for (let times = 0; times < 4; times++) await admit(ANNA);
    for (let times = 0; times < 4; times++) await admit({ ...ANNA, value: '192.0.2.8' });
    const inOneWindow = [...log.texts];
    clock.advance(180);
    for (let times = 0; times < 4; times++) await admit(ANNA);

    expect(inOneWindow).toEqual([expect.stringContaining('WARN limits')]);
    expect(inOneWindow[0]).not.toContain('192.0.2.7');
    expect(log.messages).toHaveLength(2);
    expect(meters.find('rate.limit.rejected')?.series).toContainEqual({
      tags: { group: 'sign-in', by: 'address' },
      meter: expect.objectContaining({ count: 9 }) as unknown,
    });
  });

  it('an owner of a known browser is counted apart from the address, once', async () => {
    const { admit, headers } = limiter({ signInPerAddress: Rate.of(2, 60) });
    await admit(ANNA);
    await admit(ANNA);

    expect(await admit(ANNA)).toBe(false);
    expect(await admit({ ...ANNA, deviceOwner: 'anna' })).toBe(true);
    expect(headers.get('ratelimit-policy')).toContain('"sign-in-device";q=2;w=60');
  });

  it('P3: a request that its address has used up does not count for the login id that it names', async () => {
    const { admit, headers } = limiter({ signInPerAddress: Rate.of(1, 60), signInPerId: Rate.of(3, 60) });
    const owner: Subject = { group: 'sign-in', by: 'id', value: 'anna' };
    const attack = await Promise.all(Array.from({ length: 5 }, () => admit(ANNA, owner)));
    const seenByAttacker = headers.get('ratelimit-policy');

    const elsewhere = await admit({ ...ANNA, value: '192.0.2.8' }, owner);

    expect(attack).toEqual([true, false, false, false, false]);
    expect(seenByAttacker).toContain('"sign-in-address"');
    expect(elsewhere).toBe(true);
  });

  it('a request without a limit is admitted, and its response has no header of limits', async () => {
    const { admit, headers } = limiter({ signInPerAddress: Rate.OFF });

    expect(await admit(ANNA)).toBe(true);
    expect([...headers]).toEqual([]);
  });

  it('the limits of two guards are in one header', async () => {
    const { admit, headers } = limiter({
      secondFactorPerAddress: Rate.of(9, 60),
      secondFactorPerSession: Rate.of(5, 60),
    });
    await admit({ group: 'second-factor', by: 'address', value: '192.0.2.7' });
    await admit({ group: 'second-factor', by: 'session', value: 'sid' });

    expect(headers.get('ratelimit-policy')).toBe('"second-factor-address";q=9;w=60, "second-factor-session";q=5;w=60');
  });
});
