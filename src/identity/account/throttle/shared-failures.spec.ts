import { describe, expect, it } from 'vitest';
import { CollectedLog } from '../../../../test/support/programs/collected-log.js';
import { ManualClock } from '../../../../test/support/programs/manual-clock.js';
import { waitUntil } from '../../../../test/support/runner/wait-until.js';
import { StoreAvailability } from '../../../platform/kvstore/store-availability.js';
import { type FailureChange, type Failures, type FailureStore, SharedFailures } from './shared-failures.js';
import { GrowingDelay, Throttle, Throttled } from './throttle.js';

const MESSAGES = { lost: 'lost', back: 'back' };

/** A store whose responses a test can delay, after the store has read or written. */
class HeldStore implements FailureStore {
  readonly rows = new Map<string, Failures>();
  isAway = false;
  held: Promise<unknown> = Promise.resolve();

  constructor(private readonly clock: ManualClock) {}

  async read(keys: readonly string[]): Promise<ReadonlyMap<string, Failures>> {
    const found = new Map([...this.rows].filter(([key]) => keys.includes(key)));
    await this.respond();
    return found;
  }

  async save(changes: readonly FailureChange[]): Promise<void> {
    for (const { key, to } of changes) {
      if (to === 'none') this.rows.delete(key);
      else this.rows.set(key, { count: (this.rows.get(key)?.count ?? 0) + 1, lastAt: this.clock.millis() });
    }
    await this.respond();
  }

  async respond(): Promise<void> {
    await this.held;
    if (this.isAway) throw new Error('away');
  }
}

describe('a throttle with failures that replicas share', () => {
  const limit = new GrowingDelay(3, 1000, 30_000, 900_000);

  function scene() {
    const clock = new ManualClock();
    const store = new HeldStore(clock);
    const availability = new StoreAvailability(
      () => store.respond(),
      1000,
      new CollectedLog().loggers.get('limits'),
      MESSAGES,
    );
    const replica = (): ((isRight?: boolean) => Promise<boolean>) => {
      const throttle = new Throttle(clock, 100, new SharedFailures(store, availability));
      return async (isRight = false) => {
        await throttle.load(['anna']);
        const verdict = await throttle.attempt(
          [{ key: 'anna', limit }],
          () => Promise.resolve('compared'),
          () => isRight,
        );
        return !(verdict instanceof Throttled);
      };
    };
    return { clock, store, availability, replica };
  }

  it('P3: counts the failures at all replicas, and a success at one of them forgets all', async () => {
    const { clock, replica } = scene();
    const [one, other] = [replica(), replica()];

    expect([await one(), await other(), await one()]).toEqual([true, true, true]);
    expect([await other(true), await one(true)]).toEqual([false, false]);
    clock.advance(1);
    expect(await other(true)).toBe(true);
    expect([await one(), await one(), await one()]).toEqual([true, true, true]);
  });

  it('a response of the store that is older than a failure of this process does not forget it', async () => {
    const { clock, store, replica } = scene();
    const attempt = replica();
    for (let times = 0; times < 2; times += 1) await attempt();
    const throttle = new Throttle(
      clock,
      100,
      new SharedFailures(
        store,
        new StoreAvailability(() => store.respond(), 1000, new CollectedLog().loggers.get('x'), MESSAGES),
      ),
    );
    const bucket = { key: 'anna', limit };
    await throttle.load(['anna']);
    const held = Promise.withResolvers<unknown>();
    store.held = held.promise;
    // The store has read 2 failures for this response.
    const loading = throttle.load(['anna']);
    store.held = Promise.resolve();
    await throttle.attempt(
      [bucket],
      () => Promise.resolve('compared'),
      () => false,
    );
    held.resolve(undefined);
    await loading;

    expect(throttle.remembered(bucket)).toBe(3);
  });

  it('while the store is away, a process counts on from what it knew', async () => {
    const { store, availability, replica } = scene();
    const [one, other] = [replica(), replica()];
    await one();
    await one();
    store.isAway = true;

    expect([await one(), await one()]).toEqual([true, false]);
    expect([await other(), await other(), await other(), await other()]).toEqual([true, true, true, false]);
    store.isAway = false;
    await waitUntil('the store is used again', () => availability.isAvailable);
    availability.stop();
    expect([await one(true), await other(true)]).toEqual([true, true]);
  });
});
