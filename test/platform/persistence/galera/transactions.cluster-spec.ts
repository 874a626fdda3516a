import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { HealthComponents } from '../../../../src/observability/health/health-components.js';
import { openDatabase, unitOfWork } from '../../../../src/platform/persistence/database.js';
import { DatabaseInstrumentation } from '../../../../src/platform/persistence/database-instrumentation.js';
import { PoolProperties } from '../../../../src/platform/persistence/datasource.properties.js';
import { DbIndicator } from '../../../../src/platform/persistence/db.indicator.js';
import type { UnitOfWork } from '../../../../src/platform/persistence/unit-of-work.js';
import { clusterRounds, HASTY } from '../../../support/database/cluster-rounds.js';
import { galeraCluster } from '../../../support/database/galera-cluster.js';
import { needs } from '../../../support/runner/needs.js';
import { upTo } from '../../../support/login/races.js';

const PATIENTLY = { timeout: 120_000 };
const MARK = 'INSERT INTO used_mfa_token (jti, expires_at) VALUES (?, ?)';
const MOVE = 'UPDATE used_mfa_token SET expires_at = expires_at + 1 WHERE jti = ?';
const READ = 'SELECT jti, expires_at FROM used_mfa_token WHERE jti LIKE ? ORDER BY jti';

interface Row {
  readonly jti: string;
  readonly expires_at: number;
}

needs('galera')('units of work at the nodes of one Galera cluster', () => {
  const cluster = galeraCluster(HASTY);
  const sources: DataSource[] = [];
  const works: UnitOfWork[] = [];

  beforeAll(async () => {
    const { username, password, urlAt } = await cluster.freshSettings();
    for (const number of cluster.nodes.keys()) {
      const source = await openDatabase({ url: urlAt(number), username, password });
      sources.push(source);
      works.push(unitOfWork(source));
    }
  });

  afterAll(() => Promise.all(sources.map((source) => source.destroy())));

  function at(number: number): UnitOfWork {
    const work = works[number % works.length];
    if (!work) throw new Error('the cluster has not begun');
    return work;
  }

  const marks = (pattern: string, number = 0): Promise<readonly Row[]> =>
    at(number).single((tx) => tx.rows<Row>(READ, [pattern]));

  /** Waits until what was committed before has arrived at a node: a read there waits for it, a change does not. */
  async function arrivalAt(number: number, row: string): Promise<void> {
    expect(await marks(row, number)).toHaveLength(1);
  }

  /** Inserts a row at the first node, and waits for it at all of them. */
  async function insertAtAll(row: string): Promise<void> {
    await at(0).run((tx) => tx.insert(MARK, [row, 0]));
    for (const number of works.keys()) await arrivalAt(number, row);
  }

  it.each([
    ['a statement that its connection has prepared', MARK],
    ['a statement that its connection has not prepared', `${MARK} /* new */`],
  ])('a unit of work that lost a row to another node is repeated as a whole, if %s is next', async (name, insert) => {
    const row = `lost-${name.length}`;
    await insertAtAll(row);
    let attempts = 0;

    await at(0).run(async (tx) => {
      attempts += 1;
      await tx.change(MOVE, [row]);
      if (attempts === 1) {
        const moved = await at(1).single((other) => other.change(MOVE, [row]));
        if (moved !== 1) throw new Error('the other node has no such row');
        // Returns when the change has arrived at this node, too, and has ended the transaction there.
        await marks(row);
      }
      await tx.insert(insert, [`${row}-by-attempt-${attempts}`, 1]);
    });

    expect(attempts).toBe(2);
    expect(await marks(`${row}%`)).toEqual([
      { jti: row, expires_at: 2 },
      { jti: `${row}-by-attempt-2`, expires_at: 1 },
    ]);
  });

  it('a unit of work that loses a row to another node while it reads never commits a part', PATIENTLY, async () => {
    const [workers, rounds] = [4, clusterRounds(100)];
    for (const worker of upTo(workers)) await insertAtAll(`reading-${worker}`);

    await Promise.all(
      upTo(workers).map(async (worker) => {
        for (const round of upTo(rounds)) {
          let other: Promise<unknown> | undefined;
          await arrivalAt(1, `reading-${worker}`);
          await at(0).run(async (tx) => {
            await tx.change(MOVE, [`reading-${worker}`]);
            // The other transaction comes earlier or later than the reads.
            if (other === undefined) for (const more of upTo(round % 12)) await tx.rows('SELECT ? AS more', [more]);
            other ??= at(1).single((there) => there.change(MOVE, [`reading-${worker}`]));
            const reads = { areOver: false };
            void Promise.allSettled([other]).then(() => (reads.areOver = true));
            while (!reads.areOver) await tx.rows('SELECT 1');
            for (const more of upTo(3)) await tx.rows('SELECT ? AS more', [more]);
            await tx.insert(`${MARK} ON DUPLICATE KEY UPDATE expires_at = 1`, [`read-${worker}-${round}`, 1]);
          });
          await other;
        }
      }),
    );

    expect((await marks('reading-%')).map(({ expires_at }) => expires_at)).toEqual(upTo(workers).map(() => 2 * rounds));
  });

  it(
    'a unit of work that loses a row to another node while it prepares statements never commits a part',
    PATIENTLY,
    async () => {
      const [workers, rounds] = [4, clusterRounds(40)];
      for (const worker of upTo(workers)) await insertAtAll(`preparing-${worker}`);

      await Promise.all(
        upTo(workers).map(async (worker) => {
          for (const round of upTo(rounds)) {
            let other: Promise<unknown> | undefined;
            let texts = 0;
            await arrivalAt(1, `preparing-${worker}`);
            await at(0).run(async (tx) => {
              await tx.change(MOVE, [`preparing-${worker}`]);
              other ??= at(1).single((there) => there.change(MOVE, [`preparing-${worker}`]));
              const prepares = { areOver: false };
              void Promise.allSettled([other]).then(() => (prepares.areOver = true));
              for (let more = 3; more > 0; more -= prepares.areOver ? 1 : 0) {
                await tx.rows(`SELECT 1 /* ${worker} ${round} ${(texts += 1)} */`);
              }
              await tx.insert(`${MARK} ON DUPLICATE KEY UPDATE expires_at = 1`, [`prepared-${worker}-${round}`, 1]);
            });
            await other;
          }
        }),
      );

      expect((await marks('preparing-%')).map(({ expires_at }) => expires_at)).toEqual(
        upTo(workers).map(() => 2 * rounds),
      );
    },
  );

  it('changes of one row at all nodes are all counted, unless they are reported as failed', PATIENTLY, async () => {
    await insertAtAll('counted');

    const changes = await Promise.all(
      upTo(12).map(async (caller) => {
        const results: PromiseSettledResult<number>[] = [];
        for (const turn of upTo(40)) {
          const sql = turn % 2 === 0 ? MOVE : `${MOVE} AND 1 = 1`;
          results.push(...(await Promise.allSettled([at(caller).single((tx) => tx.change(sql, ['counted']))])));
        }
        return results;
      }),
    );

    const done = changes.flat().filter((result) => result.status === 'fulfilled');
    // A change that lost twelve times against others is given up.
    expect(done.length).toBeGreaterThan((12 * 40) / 2);
    expect(done.map(({ value }) => value)).toEqual(done.map(() => 1));
    expect(await marks('counted')).toEqual([{ jti: 'counted', expires_at: done.length }]);
  });

  it('a read finds what another node committed before', PATIENTLY, async () => {
    for (const round of upTo(100)) {
      const name = `seen-${round}`;
      await at(round).run((tx) => tx.insert(MARK, [name, round]));

      expect(await marks(name, round + 1)).toEqual([{ jti: name, expires_at: round }]);
    }
  });

  it(
    'R4: with a test query that reads a table, the health check fails at a node that has lost its cluster',
    PATIENTLY,
    async () => {
      const node = cluster.node(2);
      const { username, password, urlAt } = await cluster.freshSettings();
      const url = urlAt(2).replace(/,[^/]*/, '');
      const source = await openDatabase({ url, username, password });
      sources.push(source);
      const keys = { connectionTestQuery: 'SELECT 1 FROM migrations LIMIT 1' };
      const indicator = new DbIndicator(
        source,
        Object.assign(new PoolProperties(), keys),
        new HealthComponents(),
        new DatabaseInstrumentation(),
      );
      const { signal } = new AbortController();
      expect(await indicator.check(signal)).toMatchObject({ status: 'UP' });

      await node.isolate();
      try {
        await node.untilState('is not ready', ({ isReady }) => !isReady);
        await expect(indicator.check(signal)).rejects.toThrow(/WSREP/);
      } finally {
        await node.reunite();
      }

      await cluster.untilWhole();
      expect(await indicator.check(signal)).toMatchObject({ status: 'UP' });
    },
  );
});
