import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { StoredTaskLeases } from '../../../src/platform/persistence/stored-task-leases.service.js';
import { TaskLeaseStore } from '../../../src/platform/persistence/task-lease.store.js';
import { SystemRandom } from '../../../src/kernel/random/random.js';
import { ScheduledTasks } from '../../../src/platform/tasks/scheduled-tasks.js';
import type { UnavailableLease, TaskLease } from '../../../src/platform/tasks/task-leases.js';
import { onEveryDatabase } from '../../support/database/engines.js';
import { ManualClock } from '../../support/programs/manual-clock.js';
import { waitUntil } from '../../support/runner/wait-until.js';

const NOW = 1_800_000_000;
/** Duration of a lease, and the difference of clocks that it tolerates. */
const LEASE_MILLIS = 30_000;
const SKEW_MILLIS = 5000;
const LEASE_SECONDS = LEASE_MILLIS / 1000;
const TASK = 'ExpirySweep.sweep';
/** The interval of renewals. */
const RENEW_SECONDS = 10;

onEveryDatabase('the lease of a task', (database) => {
  const store = new TaskLeaseStore();
  beforeEach(async () => {
    await database.work.single((tx) => tx.change('DELETE FROM task_lease'));
    // Only renewals repeat at an interval; the pool and the database keep their timers.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** A replica whose clock differs by some seconds. */
  const replica = (
    skewSeconds = 0,
  ): { readonly clock: ManualClock; take: () => Promise<TaskLease | UnavailableLease> } => {
    const clock = new ManualClock(NOW + skewSeconds);
    const leases = new StoredTaskLeases(store, database.work, clock, new SystemRandom(), new ScheduledTasks(clock));
    return { clock, take: () => leases.take(TASK) };
  };
  const held = (taken: TaskLease | UnavailableLease): TaskLease => {
    if ('retryInMillis' in taken) throw new Error(`refused for ${taken.retryInMillis} ms`);
    return taken;
  };
  const isHeld = (taken: TaskLease | UnavailableLease): boolean => 'fence' in taken;

  it('goes to one of many replicas that ask at the same time, the first time and after an end', async () => {
    for (const fence of [1, 2, 3]) {
      const taken = await Promise.all(Array.from({ length: 8 }, () => replica().take()));

      const [lease, ...others] = taken.filter(isHeld);
      expect(others).toEqual([]);
      expect(lease).toMatchObject({ fence });
      await held(lease ?? { retryInMillis: 0 }).release(0);
    }
  });

  it('goes to no other replica until it is released', async () => {
    const [one, other] = [replica(), replica()];
    const lease = held(await one.take());
    expect(isHeld(await other.take())).toBe(false);
    await lease.release(0);

    expect(held(await other.take()).fence).toBe(2);
  });

  it('rests after a release for as long as its holder says', async () => {
    const other = replica();
    await held(await replica().take()).release(60_000);
    expect(await other.take()).toEqual({ retryInMillis: 60_000 });
    other.clock.advance(60);

    expect(isHeld(await other.take())).toBe(true);
  });

  it('goes to another replica after its end if its holder was killed, with the next fence', async () => {
    const other = replica();
    held(await replica().take());
    other.clock.advance(LEASE_SECONDS + SKEW_MILLIS / 1000 - 1);
    expect(isHeld(await other.take())).toBe(false);
    other.clock.advance(1);

    expect(held(await other.take()).fence).toBe(2);
  });

  it.each([
    [-2, 2],
    [2, -2],
    [0, 2],
    [-2, 0],
  ])('is not taken from its holder before its end if the clocks are %i s and %i s off', async (skewOne, skewOther) => {
    const [one, other] = [replica(skewOne), replica(skewOther)];
    held(await one.take());
    other.clock.advance(LEASE_SECONDS);

    expect(isHeld(await other.take())).toBe(false);
  });

  it('does not stay taken for ever if the clock of its holder was far ahead', async () => {
    held(await replica(86_400).take());

    expect(isHeld(await replica().take())).toBe(true);
  });

  it('cannot be renewed or released by a holder that has lost it', async () => {
    const other = replica();
    const lost = held(await replica().take());
    other.clock.advance(2 * LEASE_SECONDS);
    held(await other.take());
    const row = await database.work.single((tx) => store.find(tx, TASK));

    await lost.release(0);
    expect(await database.work.single((tx) => store.renew(tx, TASK, 'lost', lost.fence, 0))).toBe(false);
    expect(await database.work.single((tx) => store.find(tx, TASK))).toEqual(row);
    expect(lost.lost.aborted).toBe(true);
  });

  it('stays with a holder that renews it', async () => {
    const [one, other] = [replica(), replica()];
    held(await one.take());
    const row = await database.work.single((tx) => store.find(tx, TASK));
    const later = one.clock.millis() + 2 * LEASE_MILLIS;
    const isRenewed = await database.work.single((tx) => store.renew(tx, TASK, row?.holder ?? '', 1, later));
    expect(isRenewed).toBe(true);
    other.clock.advance(LEASE_SECONDS + SKEW_MILLIS / 1000 + 5);

    expect(isHeld(await other.take())).toBe(false);
  });

  it('is renewed by its holder during a turn that is longer than the lease', async () => {
    const [one, other] = [replica(), replica()];
    const lease = held(await one.take());
    for (let seconds = 0; seconds < 3 * LEASE_SECONDS; seconds += RENEW_SECONDS) {
      for (const { clock } of [one, other]) clock.advance(RENEW_SECONDS);
      vi.advanceTimersByTime(RENEW_SECONDS * 1000);
      const until = one.clock.millis() + LEASE_MILLIS;
      await waitUntil('the lease is renewed', async () => {
        const row = await database.work.single((tx) => store.find(tx, TASK));
        return row?.expires_at === until;
      });
      expect(isHeld(await other.take())).toBe(false);
    }

    expect(lease.lost.aborted).toBe(false);
    expect(vi.getTimerCount()).toBe(1);
    await lease.release(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is lost at the next renewal, which changes nothing, if its process was suspended beyond its end', async () => {
    const other = replica();
    const stale = held(await replica().take());
    other.clock.advance(2 * LEASE_SECONDS);
    const next = held(await other.take());
    const row = await database.work.single((tx) => store.find(tx, TASK));
    expect(stale.lost.aborted).toBe(false);
    vi.advanceTimersByTime(RENEW_SECONDS * 1000);
    await waitUntil('the signal of the stale holder is aborted', () => stale.lost.aborted);

    expect(next.lost.aborted).toBe(false);
    expect(next.fence).toBeGreaterThan(stale.fence);
    expect(await database.work.single((tx) => store.find(tx, TASK))).toMatchObject({
      holder: row?.holder,
      fence: next.fence,
    });
    await next.release(0);
  });

  it('is lost without the database once it ends, by the monotonic clock of its holder', async () => {
    const leases = new StoredTaskLeases(
      store,
      database.work,
      new ManualClock(NOW),
      new SystemRandom(),
      new ScheduledTasks(new ManualClock(NOW)),
    );
    vi.useRealTimers();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const taking = leases.take(TASK);
    const lease = held(await taking);
    vi.advanceTimersByTime(LEASE_MILLIS);

    expect(lease.lost.aborted).toBe(true);
  });
});
