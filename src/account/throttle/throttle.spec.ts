import { beforeEach, describe, expect, it } from 'vitest';
import { Clock } from '../../clock/clock.js';
import { type Bucket, Budget, GrowingDelay, Throttle, Throttled } from './throttle.js';

const FREE = 3;
const SECOND = 1000;

class HandClock extends Clock {
  now = 1_800_000_000_000;

  millis(): number {
    return this.now;
  }
}

describe('the throttle of one login id', () => {
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
  /** Seconds to wait, or undefined where the try was looked at. */
  const waitAfter = async (isRight: boolean): Promise<number | undefined> => {
    const verdict = await attempt(isRight);
    return verdict instanceof Throttled ? verdict.retryAfterSeconds : undefined;
  };
  const fail = async (times: number): Promise<void> => {
    for (let time = 0; time < times; time += 1) expect(await attempt(false)).toBe(false);
  };

  it('lets some failures pass, then one try per delay, which doubles up to a longest one', async () => {
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

  it('forgets everything at a success, and some time after the last failure', async () => {
    await fail(FREE - 1);
    expect(await attempt(true)).toBe(true);
    await fail(FREE);
    clock.now += 60 * SECOND;

    await fail(FREE);
    expect(await waitAfter(true)).toBe(1);
  });

  it('gets no more failures out of a burst than out of a sequence', async () => {
    const verdicts = await Promise.all(Array.from({ length: 50 }, () => attempt(false)));

    expect(verdicts.filter((verdict) => verdict === false)).toHaveLength(FREE);
    expect(verdicts.filter((verdict) => verdict instanceof Throttled)).toHaveLength(50 - FREE);
  });

  it('lets one of a burst through when a delay is over', async () => {
    await fail(FREE);
    clock.now += SECOND;

    const verdicts = await Promise.all(Array.from({ length: 50 }, () => attempt(false)));

    expect(verdicts.filter((verdict) => verdict === false)).toHaveLength(1);
  });

  it('never refuses right tries for their number', async () => {
    const verdicts = await Promise.all(Array.from({ length: 500 }, () => attempt(true)));

    expect(verdicts.every((verdict) => verdict === true)).toBe(true);
    expect(await waitAfter(true)).toBeUndefined();
  });

  it('counts nothing where there was no verdict', async () => {
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

  it('H1: lets an outage end those that wait behind a try, too', async () => {
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

  it('keeps a wait as it was when the clock is set back, and never makes it longer', async () => {
    await fail(FREE);
    clock.now -= 3600 * SECOND;

    expect(await waitAfter(true)).toBe(1);
    clock.now += SECOND;
    expect(await waitAfter(true)).toBeUndefined();
  });

  it('keeps other login ids apart', async () => {
    await fail(FREE);

    expect(await attempt(true, [{ ...bucket, key: 'berta' }])).toBe(true);
  });

  it('forgets first what was used least recently, so that its memory is bounded', async () => {
    throttle = new Throttle(clock, 2);
    const named = (key: string): readonly Bucket[] => [{ ...bucket, key }];
    await fail(FREE);
    for (const key of ['berta', 'carla']) await attempt(false, named(key));

    await fail(FREE);
    await attempt(false, named('dora'));
    expect(await waitAfter(true)).toBe(1);
  });
});

describe('the throttle of one address', () => {
  const bucket: Bucket = { key: '192.0.2.1', limit: new Budget(10, 60 * SECOND) };

  it('forgets failures one by one, and none of them at a success', async () => {
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

  it('takes nothing from it for tries that the login id does not let through', async () => {
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
