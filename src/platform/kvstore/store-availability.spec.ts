import { AsyncLocalStorage } from 'node:async_hooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CollectedLog } from '../../../test/support/programs/collected-log.js';
import { StoreAvailability } from './store-availability.js';

const LONG_MILLIS = 60_000;
const LOST = 'WARN lost';
const BACK = 'INFO back';

const away = (): Promise<never> => Promise.reject(new Error('away'));

describe('the availability of a store', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** A store whose probes end when the test ends them. */
  function scene(limitMillis = 500) {
    const log = new CollectedLog();
    const probes: PromiseWithResolvers<unknown>[] = [];
    const contexts: unknown[] = [];
    const caller = new AsyncLocalStorage<string>();
    const probe = (): Promise<unknown> => {
      contexts.push(caller.getStore());
      const made = Promise.withResolvers<unknown>();
      probes.push(made);
      return made.promise;
    };
    const messages = { lost: 'lost', back: 'back' };
    const availability = new StoreAvailability(probe, limitMillis, log.loggers.get('limits'), messages);
    return { availability, probes, contexts, caller, log };
  }

  it('failures at the same time start one probe', async () => {
    const { availability, probes, log } = scene();

    await Promise.all([availability.attempt(away), availability.attempt(away), availability.attempt(away)]);
    await vi.advanceTimersByTimeAsync(LONG_MILLIS);

    expect(probes).toHaveLength(1);
    expect(log.messages).toEqual([LOST]);
  });

  it('a probe that waits longer than its limit is not joined by another one, and its late success does not count', async () => {
    const { availability, probes } = scene();
    await availability.attempt(away);
    await vi.advanceTimersByTimeAsync(LONG_MILLIS);

    probes[0]?.resolve('late');
    await vi.advanceTimersByTimeAsync(0);
    const isAvailableLate = availability.isAvailable;
    await vi.advanceTimersByTimeAsync(LONG_MILLIS);

    expect(isAvailableLate).toBe(false);
    expect(probes).toHaveLength(2);
  });

  it('work that began before a failure does not take away a store that has come back since', async () => {
    // Above the time between two probes.
    const { availability, probes, log } = scene(5000);
    const early = availability.attempt(() => new Promise(() => undefined));
    await availability.attempt(away);
    await vi.advanceTimersByTimeAsync(1000);
    probes[0]?.resolve('in time');

    await vi.advanceTimersByTimeAsync(LONG_MILLIS);

    expect(await early).toBeUndefined();
    expect(availability.isAvailable).toBe(true);
    expect(log.messages).toEqual([LOST, BACK]);
  });

  it('after the stop there is no probe, and one that ends then is not reported', async () => {
    const { availability, probes, log } = scene();
    await availability.attempt(away);
    await vi.advanceTimersByTimeAsync(1000);

    availability.stop();
    probes[0]?.resolve('in time');
    await vi.advanceTimersByTimeAsync(LONG_MILLIS);
    await availability.attempt(away);
    await vi.advanceTimersByTimeAsync(LONG_MILLIS);

    expect(probes).toHaveLength(1);
    expect(log.messages).toEqual([LOST]);
  });

  it('a probe runs outside of the context of the request that has met the failure', async () => {
    const { availability, contexts, caller } = scene();

    await caller.run('a request', () => availability.attempt(away));
    await vi.advanceTimersByTimeAsync(LONG_MILLIS);

    expect(contexts).toEqual([undefined]);
  });
});
