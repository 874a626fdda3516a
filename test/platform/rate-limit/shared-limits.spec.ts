import { expect, it } from 'vitest';
import { CollectedLog } from '../../support/programs/collected-log.js';
import { waitUntil } from '../../support/runner/wait-until.js';
import { SystemClock } from '../../../src/kernel/clock/clock.js';
import { MemoryLimits } from '../../../src/platform/rate-limit/memory-limits.js';
import type { RateLimitStore } from '../../../src/platform/rate-limit/rate-limit-store.js';
import { SharedLimits } from '../../../src/platform/rate-limit/shared-limits.js';
import type { Charge } from '../../../src/platform/rate-limit/sliding-window.js';
import { StoreAvailability } from '../../../src/platform/kvstore/store-availability.js';

const CHARGE: Charge = { key: 'key', quota: 2, windowMillis: 3_600_000, hits: 1 };
const MESSAGES = { lost: 'The store is away', back: 'The store is back' };

/** A store that responds, rejects or stays silent. */
class Store implements RateLimitStore {
  state: 'up' | 'down' | 'silent' = 'up';
  calls = 0;
  private readonly silence = Promise.withResolvers<undefined>();

  /** Calls that found it silent end, too. */
  return(): void {
    this.state = 'up';
    this.silence.resolve(undefined);
  }

  async charge(): Promise<readonly [{ admitted: 1; remaining: 9; resetMillis: 1; retryMillis: 0 }]> {
    this.calls += 1;
    await this.respond();
    return [{ admitted: 1, remaining: 9, resetMillis: 1, retryMillis: 0 }];
  }

  respond(): Promise<void> {
    if (this.state === 'silent') return this.silence.promise;
    return this.state === 'up' ? Promise.resolve() : Promise.reject(new Error('away'));
  }
}

it.each(['down', 'silent'] as const)(
  'a store that is %s is replaced by the memory of the process until it is back',
  async (state) => {
    const [store, log] = [new Store(), new CollectedLog()];
    const availability = new StoreAvailability(() => store.respond(), 20, log.loggers.get('limits'), MESSAGES);
    const shared = new SharedLimits(store, new MemoryLimits(new SystemClock()), availability);
    await shared.charge([CHARGE]);

    store.state = state;
    const alone = [];
    for (let times = 0; times < 4; times++) alone.push(...(await shared.charge([CHARGE])));
    const callsWhileAway = store.calls;
    store.return();
    await waitUntil('the limits are shared', () => availability.isAvailable);
    const [back] = await shared.charge([CHARGE]);
    availability.stop();

    expect(alone.map(({ admitted }) => admitted)).toEqual([1, 1, 0, 0]);
    // Only the first request after the failure has waited for the store.
    expect(callsWhileAway).toBe(2);
    expect(back).toMatchObject({ remaining: 9 });
    expect(log.messages).toEqual(['WARN The store is away', 'INFO The store is back']);
  },
);
