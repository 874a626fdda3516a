import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.js';
import { waitUntil } from '../../test/support/wait-until.js';
import { MemoryLimits } from './memory-limits.js';
import type { Charge, Verdict } from './sliding-window.js';
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

  async charge(charges: readonly Charge[]): Promise<readonly Verdict[]> {
    const hits = charges.reduce((sum, charge) => sum + charge.hits, 0);
    this.sent.push(hits);
    if (hits > 0) await this.commits;
    return charges.map((charge) => this.limits.charge(charge));
  }
}

const times = (count: number, charges: WriteBehindCharges, hit = HIT): Promise<readonly Verdict[]> =>
  Promise.all(Array.from({ length: count }, () => charges.charge(hit)));
const admitted = (verdicts: readonly Verdict[]): number => verdicts.reduce((sum, verdict) => sum + verdict.admitted, 0);

describe('charges behind the response', () => {
  it('a request far from its limit waits for no commit, and is told how many requests are left', async () => {
    const store = new Store();
    const [charges, release] = [store.charges(), store.hold()];

    const verdicts = await times(10, charges);

    expect(verdicts.map(({ remaining }) => remaining)).toEqual(Array.from({ length: 10 }, (_, at) => 639 - at));
    expect(store.sent).toEqual([0]);
    release();
    await charges.flush();
    expect(store.sent).toEqual([0, 10]);
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
    expect(store.sent).toEqual([0, 11]);
  });

  it('beyond half of its quota, every request is stored before it is admitted', async () => {
    const store = new Store();
    await store.charge([{ ...HIT, hits: 320 }]);

    expect(await store.charges().charge(HIT)).toMatchObject({ admitted: 1, remaining: 319 });
    expect(store.sent).toEqual([320, 0, 1]);
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
