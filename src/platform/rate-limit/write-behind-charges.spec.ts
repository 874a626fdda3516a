import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ManualClock } from '../../../test/support/programs/manual-clock.js';
import { waitUntil } from '../../../test/support/runner/wait-until.js';
import { MemoryLimits } from './memory-limits.js';
import type { Charge, LimitVerdict } from './sliding-window.js';
import { type Hit, WriteBehindCharges } from './write-behind-charges.js';

const HIT: Hit = { key: 'address', quota: 640, windowMillis: 3_600_000 };

/** A store that may hold back its commits, but not its reads. */
class Store {
  readonly sent: number[] = [];
  private readonly limits = new MemoryLimits(new ManualClock());
  private commits: Promise<void> = Promise.resolve();

  /** Commits wait until the returned function is called. */
  hold(): () => void {
    const held = Promise.withResolvers<undefined>();
    this.commits = held.promise;
    return () => {
      held.resolve(undefined);
    };
  }

  charges(): WriteBehindCharges {
    return new WriteBehindCharges((charges) => this.charge(charges), new ManualClock());
  }

  async charge(charges: readonly Charge[]): Promise<readonly LimitVerdict[]> {
    const hits = charges.reduce((sum, charge) => sum + charge.hits, 0);
    this.sent.push(hits);
    if (hits > 0) await this.commits;
    return charges.map((charge) => this.limits.charge(charge));
  }
}

const times = (count: number, charges: WriteBehindCharges, hit = HIT): Promise<readonly LimitVerdict[]> =>
  Promise.all(Array.from({ length: count }, () => charges.charge(hit)));
const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0);
const admitted = (verdicts: readonly LimitVerdict[]): number =>
  verdicts.reduce((sum, verdict) => sum + verdict.admitted, 0);

describe('charges behind the response', () => {
  it('a request far from its limit waits for no commit, and is told how many requests are left', async () => {
    const store = new Store();
    const [charges, release] = [store.charges(), store.hold()];

    const verdicts = await times(10, charges);

    expect(verdicts.map(({ remaining }) => remaining)).toEqual(Array.from({ length: 10 }, (_, at) => 639 - at));
    expect(store.sent).toEqual([]);
    release();
    await charges.flush();
    expect(store.sent).toEqual([10]);
  });

  it('hits are stored within moments although no further request comes', async () => {
    const store = new Store();

    await times(7, store.charges());

    await waitUntil('the hits are stored', () => store.sent.includes(7));
    const [verdict] = await store.charge([{ ...HIT, hits: 0 }]);
    expect(verdict?.remaining).toBe(633);
  });

  it('a process waits for the store once 1/64 of the quota is not stored', async () => {
    const store = new Store();
    const [charges, release] = [store.charges(), store.hold()];
    await times(10, charges);

    const eleventh = charges.charge(HIT);
    const isFirst = await Promise.race([eleventh.then(() => true), new Promise(setImmediate).then(() => false)]);
    release();

    expect(isFirst).toBe(false);
    expect(await eleventh).toMatchObject({ admitted: 1, remaining: 629 });
    expect(store.sent).toEqual([11]);
  });

  it('a request waits for the store while 1000 hits of all keys are not stored', async () => {
    const store = new Store();
    const [charges, release] = [store.charges(), store.hold()];
    const addresses = Array.from({ length: 1001 }, (_, at) => ({ ...HIT, key: `address ${at}` }));
    await Promise.all(addresses.slice(0, 1000).map((hit) => charges.charge(hit)));

    const last = charges.charge(addresses[1000] ?? HIT);
    const isPending = await Promise.race([
      last.then(() => false),
      waitUntil('it is sent', () => sumOf(store.sent) > 0),
    ]);
    release();

    expect(isPending).toBe(true);
    expect(await last).toMatchObject({ admitted: 1 });
    await charges.flush();
    expect(sumOf(store.sent)).toBe(1001);
  });

  it('the end of a process waits for hits that are on their way to the store', async () => {
    const store = new Store();
    const [charges, release] = [store.charges(), store.hold()];
    await times(3, charges);
    await waitUntil('the hits are sent', () => store.sent.includes(3));

    const flushed = charges.flush();
    const isPending = await Promise.race([flushed.then(() => false), new Promise(setImmediate).then(() => true)]);
    release();
    await flushed;

    expect(isPending).toBe(true);
  });

  describe('hits of a key without a young count', () => {
    let store: Store;
    let charges: WriteBehindCharges;

    const pass = async (intervals: number): Promise<void> => {
      for (let passed = 0; passed < intervals; passed += 1) {
        vi.advanceTimersByTime(50);
        await charges.flush();
      }
    };

    beforeEach(() => {
      vi.useFakeTimers({ toFake: ['setTimeout'] });
      onTestFinished(() => void vi.useRealTimers());
      store = new Store();
      charges = store.charges();
    });

    it('hits of a new key are admitted without a read for 1/64 of the quota in each window, then after a read', async () => {
      for (let hits = 0; hits < 10; hits += 1) {
        await charges.charge(HIT);
        await pass(7);
      }
      expect(store.sent).toEqual(Array.from({ length: 10 }, () => 1));
      expect(vi.getTimerCount()).toBe(0);

      expect(await charges.charge(HIT)).toMatchObject({ admitted: 1, remaining: 629 });

      expect(store.sent.slice(10)).toEqual([0]);
    });

    it('a key that had more hits than that is read first', async () => {
      await times(11, charges);
      await pass(7);

      expect(await charges.charge(HIT)).toMatchObject({ admitted: 1, remaining: 628 });

      expect(store.sent).toEqual([11, 0]);
    });
  });

  it('beyond half of its quota, every request is stored before it is admitted', async () => {
    const store = new Store();
    const charges = store.charges();
    await store.charge([{ ...HIT, hits: 320 }]);
    await charges.charge(HIT);
    await charges.flush();

    expect(await charges.charge(HIT)).toMatchObject({ admitted: 1, remaining: 318 });
    expect(store.sent).toEqual([320, 1, 1]);
  });

  it('a quota below 64 is always charged before the request, without a read', async () => {
    const store = new Store();

    await times(2, store.charges(), { ...HIT, quota: 63 });

    expect(store.sent).toEqual([2]);
  });

  it('a burst at one process gets exactly the quota', async () => {
    expect(admitted(await times(1000, new Store().charges()))).toBe(640);
  });

  it('a process that admitted requests by its own count learns that others have used the quota up', async () => {
    const store = new Store();
    const charges = store.charges();
    await charges.charge(HIT);
    await store.charge([{ ...HIT, hits: 640 }]);

    const rejected = await waitUntil('a request is rejected', async () => {
      const verdict = await charges.charge(HIT);
      return verdict.admitted === 0 ? verdict : undefined;
    });

    expect(rejected).toMatchObject({ admitted: 0, remaining: 0 });
  });
});
