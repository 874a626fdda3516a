import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { GuessFailureTable } from '../../../../src/identity/account/throttle/password-failure.store.js';
import { openDatabase, unitOfWork } from '../../../../src/platform/persistence/database.js';
import { StoredTaskLeases } from '../../../../src/platform/persistence/stored-task-leases.service.js';
import { TaskLeaseStore } from '../../../../src/platform/persistence/task-lease.store.js';
import type { UnitOfWork } from '../../../../src/platform/persistence/unit-of-work.js';
import { SystemRandom } from '../../../../src/kernel/random/random.js';
import { RateLimitTable } from '../../../../src/platform/rate-limit/rate-limit.store.js';
import { ScheduledTasks } from '../../../../src/platform/tasks/scheduled-tasks.js';
import type { TaskLease } from '../../../../src/platform/tasks/task-leases.js';
import { clusterRounds } from '../../../support/database/cluster-rounds.js';
import { galeraCluster } from '../../../support/database/galera-cluster.js';
import { ManualClock } from '../../../support/programs/manual-clock.js';
import { needs } from '../../../support/runner/needs.js';
import { upTo } from '../../../support/login/races.js';

const ROUNDS = clusterRounds(3);
const PATIENTLY = { timeout: 120_000 };
const CALLERS = 12;

/** All callers start at the same moment. */
function together<T>(call: (number: number) => Promise<T>): Promise<readonly T[]> {
  return Promise.all(upTo(CALLERS).map(call));
}

needs('galera')('rows that replicas share, at the nodes of one Galera cluster', () => {
  const cluster = galeraCluster();
  const sources: DataSource[] = [];
  const works: UnitOfWork[] = [];
  /** Stands in the middle of a window of an hour. */
  const clock = new ManualClock(1_800_001_800);

  beforeAll(async () => {
    const { username, password, urlAt } = await cluster.freshSettings();
    for (const number of cluster.nodes.keys()) {
      const source = await openDatabase({ url: urlAt(number), username, password });
      sources.push(source);
      works.push(unitOfWork(source));
    }
  });
  afterAll(() => Promise.all(sources.map((source) => source.destroy())));

  /** Callers are spread over the nodes. */
  function at(number: number): UnitOfWork {
    const work = works[number % works.length];
    if (!work) throw new Error('the cluster has not begun');
    return work;
  }

  it(
    'the lease of a task goes to one of many replicas that ask at the same time at different nodes',
    PATIENTLY,
    async () => {
      const tasks = new ScheduledTasks(clock);
      for (const round of upTo(ROUNDS)) {
        const taken = await together((number) =>
          new StoredTaskLeases(new TaskLeaseStore(), at(number), clock, new SystemRandom(), tasks).take('Sweep.run'),
        );
        const held = taken.filter((each): each is TaskLease => 'fence' in each);

        expect(held.map(({ fence }) => fence)).toEqual([round + 1]);
        await held[0]?.release(0);
        for (const number of upTo(works.length)) {
          const read = 'SELECT holder FROM task_lease WHERE task = ?';
          // A read of the node before the release has arrived there would refuse everyone in the next round.
          await expect.poll(() => at(number).single((tx) => tx.rows(read, ['Sweep.run']))).toEqual([{ holder: null }]);
        }
      }
    },
  );

  it('requests at different nodes are admitted as often as their limit permits, and no more', PATIENTLY, async () => {
    for (const round of upTo(ROUNDS)) {
      const charge = { key: `address ${round}`, quota: 20, windowMillis: 3_600_000, hits: 3 };
      const verdicts = await together((number) => new RateLimitTable(at(number), clock).charge([charge]));
      const admitted = verdicts.flat().reduce((sum, verdict) => sum + verdict.admitted, 0);

      expect(admitted).toBe(charge.quota);
    }
  });

  it('P3: failures of passwords at different nodes add up exactly', PATIENTLY, async () => {
    for (const round of upTo(ROUNDS)) {
      const key = `login id ${round}`;
      await together((number) =>
        new GuessFailureTable(at(number), clock).save([{ key, to: { perMilli: 0, afterMillis: 900_000 } }]),
      );

      for (const number of upTo(works.length)) {
        const read = async (): Promise<number | undefined> =>
          (await new GuessFailureTable(at(number), clock).read([key])).get(key)?.count;
        // The other nodes apply a change a moment later.
        await expect.poll(read).toBe(CALLERS);
      }
    }
  });
});
