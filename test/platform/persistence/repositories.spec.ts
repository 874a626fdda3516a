import { MoreThan } from 'typeorm';
import { expect, it } from 'vitest';
import { SystemRandom } from '../../../src/kernel/random/random.js';
import { Meters } from '../../../src/observability/metrics/meters.js';
import { openDatabase, unitOfWork } from '../../../src/platform/persistence/database.js';
import { DatabaseInstrumentation } from '../../../src/platform/persistence/database-instrumentation.js';
import { TaskLeaseEntity } from '../../../src/platform/persistence/task-lease.entity.js';
import type { Tx } from '../../../src/platform/persistence/unit-of-work.js';
import { onEveryDatabase } from '../../support/database/engines.js';
import { freshMariadbDatabase } from '../../support/database/fresh-database.js';
import { CollectedLog } from '../../support/programs/collected-log.js';
import { needs } from '../../support/runner/needs.js';

const ADD = 'INSERT INTO task_lease (task, holder, fence, expires_at) VALUES (?, ?, ?, ?)';
const BEYOND_INT = 2 ** 40;

onEveryDatabase('a repository', (database) => {
  async function tasks(tx: Tx, prefix: string, take = 2): Promise<readonly TaskLeaseEntity[]> {
    const leases = await tx.repository(TaskLeaseEntity);
    return leases.find({ where: { task: MoreThan(prefix) }, order: { task: 'ASC' }, take });
  }

  it('returns rows with the values that a statement returns', async () => {
    await database.work.single((tx) => tx.insert(ADD, ['values-1', null, 1, BEYOND_INT]));

    const [found] = await database.work.single((tx) => tasks(tx, 'values'));

    expect(found).toBeInstanceOf(TaskLeaseEntity);
    expect(found).toMatchObject({ task: 'values-1', holder: null, fence: 1, expires_at: BEYOND_INT });
  });

  it('sees what its transaction has changed, which ends with a rollback', async () => {
    let during: readonly TaskLeaseEntity[] = [];
    const failing = database.work.run(async (tx) => {
      await tx.insert(ADD, ['within-1', 'me', 1, 2]);
      during = await tasks(tx, 'within');
      throw new Error('changed my mind');
    });

    await expect(failing).rejects.toThrow('changed my mind');
    expect(during.map(({ task }) => task)).toEqual(['within-1']);
    expect((await database.work.single((tx) => tasks(tx, 'within'))).map(({ task }) => task)).not.toContain('within-1');
  });

  it('lists of any length are one statement to prepare', async () => {
    const log = new CollectedLog();
    const work = unitOfWork(
      database.dataSource,
      new SystemRandom(),
      new DatabaseInstrumentation(new Meters(), log.loggers, 'front'),
    );
    log.loggers.setLevel('orm.sql', 'DEBUG');
    await database.work.single((tx) => tx.insert(ADD, ['lengths-1', null, 1, 2]));
    await database.work.single((tx) => tx.insert(ADD, ['lengths-2', null, 1, 2]));
    const lengthOf = async (limit: number): Promise<number> =>
      (await work.single((tx) => tasks(tx, 'lengths', limit))).length;

    expect([await lengthOf(1), await lengthOf(2)]).toEqual([1, 2]);

    expect(new Set(log.of('orm.sql').map(({ message }) => message)).size).toBe(1);
  });

  it('L1: the reads of a repository are in the log of statements, without their values', async () => {
    const log = new CollectedLog();
    const work = unitOfWork(
      database.dataSource,
      new SystemRandom(),
      new DatabaseInstrumentation(new Meters(), log.loggers, 'front'),
    );
    log.loggers.setLevel('orm.sql', 'DEBUG');

    await work.single((tx) => tasks(tx, 's3cret'));

    const texts = log.of('orm.sql').map(({ message }) => message);
    expect(texts).toContainEqual(expect.stringMatching(/^SELECT .* FROM .task_lease. .* LIMIT \?$/));
    expect(JSON.stringify(texts)).not.toContain('s3cret');
  });

  it('refuses to change rows, and to read after the end of its unit of work', async () => {
    const kept = await database.work.single((tx) => tx.repository(TaskLeaseEntity));
    const deleting = database.work.single(async (tx) =>
      (await tx.repository(TaskLeaseEntity)).createQueryBuilder().delete().execute(),
    );

    await expect(deleting).rejects.toThrow('a repository only reads');
    await expect(kept.find()).rejects.toThrow('after the end of its unit of work');
  });
});

needs('mariadb')('a read of a repository', () => {
  it('fails if its response exceeds the socketTimeout of the URL', async () => {
    const { url, ...account } = await freshMariadbDatabase();
    const dataSource = await openDatabase({ ...account, url: `${url}?socketTimeout=500` });
    const work = unitOfWork(dataSource);
    await work.single((tx) => tx.insert(ADD, ['slow', null, 1, 2]));
    const reading = work.single(async (tx) =>
      (await tx.repository(TaskLeaseEntity)).createQueryBuilder('lease').where('SLEEP(3) = 0').getMany(),
    );

    await expect(reading).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await dataSource.destroy();
  });
});
