import { beforeEach, describe, expect, it } from 'vitest';
import { fc } from '../../../../test/support/runner/property.js';
import { Clock } from '../../../kernel/clock/clock.js';
import { type Bucket, Budget, GrowingDelay, type Limit, Throttle, Throttled } from './throttle.js';

const FREE = 3;
const SECOND = 1000;

class HandClock extends Clock {
  now = 1_800_000_000_000;

  millis(): number {
    return this.now;
  }
}

describe('Throttle with a growing delay', () => {
  let clock: HandClock;
  let throttle: Throttle;
  const bucket: Bucket = { key: 'anna', limit: new GrowingDelay(FREE, SECOND, 8 * SECOND, 60 * SECOND) };

  beforeEach(() => {
    clock = new HandClock();
    throttle = new Throttle(clock, 100);
  });

  const attempt = (isRight: boolean, buckets: readonly Bucket[] = [bucket]): Promise<boolean | Throttled> =>
    throttle.attempt(
      buckets,
      () => Promise.resolve(isRight),
      (verdict) => verdict,
    );
  /** Seconds to wait; undefined if the attempt was compared. */
  const waitAfter = async (isRight: boolean): Promise<number | undefined> => {
    const verdict = await attempt(isRight);
    return verdict instanceof Throttled ? verdict.retryAfterSeconds : undefined;
  };
  const fail = async (times: number): Promise<void> => {
    for (let time = 0; time < times; time += 1) expect(await attempt(false)).toBe(false);
  };

  it('allows free failures, then one attempt per delay, which doubles up to a maximum', async () => {
    await fail(FREE);

    const waits: (number | undefined)[] = [];
    for (let time = 0; time < 6; time += 1) {
      const wait = await waitAfter(true);
      waits.push(wait);
      clock.now += (wait ?? 0) * SECOND - 1;
      expect(await waitAfter(true)).toBe(1);
      clock.now += 1;
      expect(await waitAfter(false)).toBeUndefined();
    }

    expect(waits).toEqual([1, 2, 4, 8, 8, 8]);
  });

  it('forgets all failures at a success, and some time after the last failure', async () => {
    await fail(FREE - 1);
    expect(await attempt(true)).toBe(true);
    await fail(FREE);
    clock.now += 60 * SECOND;

    await fail(FREE);
    expect(await waitAfter(true)).toBe(1);
  });

  it('allows no more failures in a burst than in a sequence', async () => {
    const verdicts = await Promise.all(Array.from({ length: 50 }, () => attempt(false)));

    expect(verdicts.filter((verdict) => verdict === false)).toHaveLength(FREE);
    expect(verdicts.filter((verdict) => verdict instanceof Throttled)).toHaveLength(50 - FREE);
  });

  it('allows one attempt of a burst after a delay', async () => {
    await fail(FREE);
    clock.now += SECOND;

    const verdicts = await Promise.all(Array.from({ length: 50 }, () => attempt(false)));

    expect(verdicts.filter((verdict) => verdict === false)).toHaveLength(1);
  });

  it('never rejects correct attempts for their number', async () => {
    const verdicts = await Promise.all(Array.from({ length: 500 }, () => attempt(true)));

    expect(verdicts.every((verdict) => verdict === true)).toBe(true);
    expect(await waitAfter(true)).toBeUndefined();
  });

  it('does not count an attempt without a verdict', async () => {
    const broken = Array.from({ length: 2 * FREE }, () =>
      throttle.attempt(
        [bucket],
        () => Promise.reject(new RangeError('full')),
        () => true,
      ),
    );
    await expect(Promise.all(broken)).rejects.toThrow(RangeError);

    await fail(FREE);
    expect(await waitAfter(true)).toBe(1);
  });

  it('P3: keeps the failures of a key after an attempt without a verdict', async () => {
    await fail(FREE - 1);
    await throttle
      .attempt(
        [bucket],
        () => Promise.reject(new RangeError('full')),
        () => true,
      )
      .catch(() => undefined);
    await fail(1);

    expect(await waitAfter(true)).toBe(1);
  });

  it('H1: fails the waiting attempts with an outage', async () => {
    const outage = new Error('away');
    const one = { key: 'anna', limit: new GrowingDelay(1, SECOND, 8 * SECOND, 60 * SECOND) };
    let end = (): void => undefined;
    const hung = throttle.attempt(
      [one],
      () => new Promise<boolean>((_, reject) => (end = () => reject(outage))),
      (verdict) => verdict,
      (error) => error === outage,
    );
    const settled = Promise.allSettled([hung, attempt(true, [one]), attempt(true, [one])]);

    end();

    expect((await settled).map((each) => each.status === 'rejected' && each.reason === outage)).toEqual([
      true,
      true,
      true,
    ]);
    expect(await attempt(true, [one])).toBe(true);
  });

  it('does not extend a wait when the clock is set back', async () => {
    await fail(FREE);
    clock.now -= 3600 * SECOND;

    expect(await waitAfter(true)).toBe(1);
    clock.now += SECOND;
    expect(await waitAfter(true)).toBeUndefined();
  });

  it('counts each key separately', async () => {
    await fail(FREE);

    expect(await attempt(true, [{ ...bucket, key: 'berta' }])).toBe(true);
  });

  it('forgets the least recently used key beyond its capacity', async () => {
    throttle = new Throttle(clock, 2);
    const named = (key: string): readonly Bucket[] => [{ ...bucket, key }];
    await fail(FREE);
    for (const key of ['berta', 'carla']) await attempt(false, named(key));

    await fail(FREE);
    await attempt(false, named('dora'));
    expect(await waitAfter(true)).toBe(1);
  });
});

describe('Throttle with a budget', () => {
  const bucket: Bucket = { key: '192.0.2.1', limit: new Budget(10, 60 * SECOND) };

  it('forgets failures evenly over time, and none at a success', async () => {
    const clock = new HandClock();
    const throttle = new Throttle(clock, 100);
    const attempt = (isRight: boolean): Promise<boolean | Throttled> =>
      throttle.attempt(
        [bucket],
        () => Promise.resolve(isRight),
        (verdict) => verdict,
      );
    for (let time = 0; time < 9; time += 1) await attempt(false);
    expect(await attempt(true)).toBe(true);
    expect(await attempt(false)).toBe(false);

    expect(await attempt(true)).toMatchObject({ retryAfterSeconds: 6 });
    clock.now += 6 * SECOND;
    expect(await attempt(false)).toBe(false);
    expect(await attempt(true)).toMatchObject({ retryAfterSeconds: 6 });
    clock.now += 60 * SECOND;
    const verdicts = await Promise.all(Array.from({ length: 20 }, () => attempt(false)));
    expect(verdicts.filter((verdict) => verdict === false)).toHaveLength(10);
  });

  it('does not charge a budget for attempts that another limit delays', async () => {
    const throttle = new Throttle(new HandClock(), 100);
    const anna: Bucket = { key: 'anna', limit: new GrowingDelay(3, SECOND, SECOND, SECOND) };
    const attempt = (buckets: readonly Bucket[], isRight: boolean): Promise<boolean | Throttled> =>
      throttle.attempt(
        buckets,
        () => Promise.resolve(isRight),
        (verdict) => verdict,
      );

    await Promise.all(Array.from({ length: 100 }, () => attempt([anna, bucket], false)));

    const others = await Promise.all(Array.from({ length: 20 }, () => attempt([bucket], false)));
    expect(others.filter((verdict) => verdict === false)).toHaveLength(7);
  });
});

describe('Throttle with any sequence of attempts', () => {
  interface Attempt {
    readonly key: string;
    readonly isRight: boolean;
    /** Milliseconds after the attempt before. */
    readonly later: number;
  }

  const keys = ['anna', 'berta', 'carla'];
  const sequences: fc.Arbitrary<readonly Attempt[]> = fc.array(
    fc.record({
      key: fc.constantFrom(...keys),
      isRight: fc.boolean(),
      later: fc.oneof(fc.integer({ min: 0, max: 2 * SECOND }), fc.integer({ min: 0, max: 70 * SECOND })),
    }),
    { maxLength: 60 },
  );

  /** A rule in words: the milliseconds to wait, from the times of all failures of the key. */
  type Rule = (failedAt: readonly number[], now: number) => number;

  /** Seconds that the attempts had to wait, 0 for those that were compared, and those that the rule demands. */
  const waitsOf = async (
    sequence: readonly Attempt[],
    limit: Limit,
    rule: Rule,
  ): Promise<{ waits: readonly number[]; demanded: readonly number[] }> => {
    const clock = new HandClock();
    const throttle = new Throttle(clock, keys.length);
    const failed = new Map<string, number[]>();
    const [waits, demanded]: [number[], number[]] = [[], []];
    for (const { key, isRight, later } of sequence) {
      clock.now += later;
      const failedAt = failed.get(key) ?? [];
      const wait = Math.max(0, Math.ceil(rule(failedAt, clock.now) / SECOND));
      demanded.push(wait);

      const verdict = await throttle.attempt(
        [{ key, limit }],
        () => Promise.resolve(isRight),
        (right) => right,
      );

      waits.push(verdict instanceof Throttled ? verdict.retryAfterSeconds : 0);
      if (wait === 0 && !isRight) failed.set(key, [...failedAt, clock.now]);
      if (wait === 0 && isRight && limit.isForgottenAtSuccess) failed.delete(key);
    }
    return { waits, demanded };
  };

  it('delays by the failures of the key since its last success or a pause, and by nothing else', async () => {
    const [longest, pause] = [8 * SECOND, 60 * SECOND];
    const rule: Rule = (failedAt, now) => {
      const times = [...failedAt, now];
      const resumed = times.findLastIndex((at, index) => index > 0 && at - (times[index - 1] ?? at) >= pause);
      const recent = failedAt.slice(Math.max(0, resumed));
      const last = recent.at(-1);
      if (last === undefined || recent.length < FREE) return 0;
      return last + Math.min(SECOND * 2 ** (recent.length - FREE), longest) - now;
    };

    await fc.assert(
      fc.asyncProperty(sequences, async (sequence) => {
        const limit = new GrowingDelay(FREE, SECOND, longest, pause);
        const { waits, demanded } = await waitsOf(sequence, limit, rule);
        expect(waits).toEqual(demanded);
      }),
    );
  });

  it('keeps the failures of the key within its budget, each of which is forgotten in the same time', async () => {
    // A power of two: the fractions of a failure are exact.
    const [budget, forgottenIn] = [4, 8192];
    const rule: Rule = (failedAt, now) => {
      const forgottenAt = failedAt.reduce((until, at) => Math.max(until, at) + forgottenIn, 0);
      return forgottenAt - now - (budget - 1) * forgottenIn;
    };

    await fc.assert(
      fc.asyncProperty(sequences, async (sequence) => {
        const limit = new Budget(budget, budget * forgottenIn);
        const { waits, demanded } = await waitsOf(sequence, limit, rule);
        expect(waits).toEqual(demanded);
      }),
    );
  });

  it('compares as many wrong attempts of a burst as are free, in whatever order their verdicts come', async () => {
    const burst = fc.array(fc.constantFrom(...keys), { minLength: 1, maxLength: 40 });

    await fc.assert(
      fc.asyncProperty(burst, fc.scheduler(), async (attempted, scheduler) => {
        const throttle = new Throttle(new HandClock(), keys.length);
        const limit = new GrowingDelay(FREE, SECOND, SECOND, 60 * SECOND);
        const compared: string[] = [];
        const verdicts = attempted.map((key) =>
          throttle.attempt(
            [{ key, limit }],
            () => {
              compared.push(key);
              return scheduler.schedule(Promise.resolve(false));
            },
            (right) => right,
          ),
        );

        await scheduler.waitFor(Promise.all(verdicts));

        for (const key of keys) {
          const sent = attempted.filter((each) => each === key).length;
          expect(compared.filter((each) => each === key)).toHaveLength(Math.min(sent, FREE));
        }
      }),
    );
  });

  it('P3: correct attempts with other keys do not evict the failures of a key', async () => {
    const throttle = new Throttle(new HandClock(), 1);
    const limit = new GrowingDelay(1, SECOND, SECOND, 60 * SECOND);
    const attempt = (key: string, isRight: boolean): Promise<boolean | Throttled> =>
      throttle.attempt(
        [{ key, limit }],
        () => Promise.resolve(isRight),
        (right) => right,
      );
    await attempt('anna', false);

    for (const key of ['berta', 'carla', 'dora']) await attempt(key, true);

    expect(await attempt('anna', true)).toBeInstanceOf(Throttled);
  });

  it('does not forget the failures of a key while an attempt is pending', async () => {
    const throttle = new Throttle(new HandClock(), 1);
    const limit = new GrowingDelay(2, SECOND, SECOND, 60 * SECOND);
    const attempt = (key: string, verdict: Promise<boolean>): Promise<boolean | Throttled> =>
      throttle.attempt(
        [{ key, limit }],
        () => verdict,
        (right) => right,
      );
    await attempt('anna', Promise.resolve(false));
    const pending = Promise.withResolvers<boolean>();
    const second = attempt('anna', pending.promise);

    for (const key of ['berta', 'carla', 'dora']) await attempt(key, Promise.resolve(false));
    pending.resolve(false);
    await second;

    expect(await attempt('anna', Promise.resolve(true))).toBeInstanceOf(Throttled);
  });
});
