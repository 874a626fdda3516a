import { DataSource } from 'typeorm';
import { describe, expect, it } from 'vitest';
import type { Loggers } from '../../../src/observability/logging/loggers.js';
import { Meters } from '../../../src/observability/metrics/meters.js';
import { dataSourceOptions, unitOfWork } from '../../../src/platform/persistence/database.js';
import { DatabaseInstrumentation } from '../../../src/platform/persistence/database-instrumentation.js';
import { type Engine, type Statements, UnitOfWork } from '../../../src/platform/persistence/unit-of-work.js';
import { SystemRandom } from '../../../src/kernel/random/random.js';
import { CollectedLog } from '../../support/programs/collected-log.js';
import { onEveryDatabase, type TestDatabase } from '../../support/database/engines.js';
import { freePort } from '../../support/programs/free-port.js';
import { readings } from '../../support/management/meter-readings.js';

const MARK = 'INSERT INTO used_mfa_token (jti, expires_at)\n  VALUES (?, ?)';
const READ = 'SELECT expires_at FROM used_mfa_token WHERE jti = ?';
const POOL = 'front';

interface Watched {
  readonly meters: Meters;
  readonly loggers: Loggers;
  readonly log: CollectedLog;
  readonly work: UnitOfWork;
}

function watched({ dataSource }: TestDatabase): Watched {
  const meters = new Meters();
  const log = new CollectedLog();
  const { loggers } = log;
  const instrumentation = new DatabaseInstrumentation(meters, loggers, POOL);
  return { meters, loggers, log, work: unitOfWork(dataSource, new SystemRandom(), instrumentation) };
}

function gauge({ meters }: Watched, name: string): number | undefined {
  return readings(meters, name, 'VALUE')[POOL];
}

onEveryDatabase('metrics and logs of the database', (database) => {
  it('pool metrics show active and idle connections, waiting units of work and the limits', async () => {
    const service = watched(database);
    const isEmbedded = database.engine === 'SQLite';
    const most = isEmbedded ? 1 : 10;
    const openBefore = gauge(service, 'pool.connections') ?? NaN;
    const release: PromiseWithResolvers<void> = Promise.withResolvers();
    const begun = Array.from({ length: most }, (): PromiseWithResolvers<void> => Promise.withResolvers());
    const working = begun.map((each) =>
      service.work.run(async () => {
        each.resolve();
        await release.promise;
      }),
    );
    await Promise.all(begun.map((each) => each.promise));
    const waiting = [
      service.work.single((tx) => tx.rows(READ, ['a'])),
      service.work.single((tx) => tx.rows(READ, ['b'])),
    ];
    // SQLite hands over its one connection in a later microtask.
    await Promise.resolve();

    expect(gauge(service, 'jdbc.connections.active')).toBe(most);
    expect(gauge(service, 'jdbc.connections.idle')).toBe(0);
    expect(gauge(service, 'jdbc.connections.max')).toBe(most);
    expect(gauge(service, 'jdbc.connections.min')).toBe(most);
    expect(gauge(service, 'pool.connections')).toBe(most);
    expect(gauge(service, 'pool.connections.pending')).toBe(2);
    release.resolve();
    await Promise.all([...working, ...waiting]);

    expect(gauge(service, 'jdbc.connections.active')).toBe(0);
    expect(gauge(service, 'jdbc.connections.idle')).toBe(most);
    expect(gauge(service, 'pool.connections.pending')).toBe(0);
    expect(readings(service.meters, 'pool.connections.acquire')).toEqual({ [POOL]: most + 2 });
    expect(readings(service.meters, 'pool.connections.usage')).toEqual({ [POOL]: most + 2 });
    expect(readings(service.meters, 'pool.connections.creation')).toEqual({ [POOL]: most - openBefore });
    expect(readings(service.meters, 'pool.connections.timeout')).toEqual({ [POOL]: 0 });
  });

  it('L1: logger orm.sql at DEBUG logs every statement with its time but no values, and nothing without DEBUG', async () => {
    const { loggers, log, work } = watched(database);
    // Leaves a connection without autocommit, so the next transaction needs no statement that begins it.
    await work.run((tx) => tx.rows(READ, ['before']));
    loggers.setLevel('orm.sql', 'DEBUG');
    await work.run(async (tx) => {
      await tx.insert(MARK, ['s3cret', 123_456]);
      await tx.insert(MARK, ['s3cret', 123_456]);
    });
    loggers.setLevel('orm', 'OFF');
    loggers.setLevel('orm.sql', undefined);
    await work.single((tx) => tx.rows(READ, ['after']));

    const insert = 'INSERT INTO used_mfa_token (jti, expires_at) VALUES (?, ?)';
    const isEmbedded = database.engine === 'SQLite';
    const begin = isEmbedded ? ['BEGIN IMMEDIATE'] : [];
    const controls = (texts: readonly string[]): readonly object[] =>
      texts.map((message) => ({ level: 'DEBUG', message }));
    expect(log.of('orm.sql')).toMatchObject([
      ...controls(begin),
      { level: 'DEBUG', message: insert, fields: { millis: expect.any(Number) as number } },
      { level: 'DEBUG', message: insert, fields: { failure: 'duplicate' } },
      ...controls(['COMMIT']),
    ]);
    const withoutTimes = log.lines.map((line) => ({ ...line, at: undefined }));
    expect(JSON.stringify(withoutTimes)).not.toMatch(/s3cret|123456|123_456/);
  });
});

describe('the logger persistence', () => {
  /** An engine whose transactions fail the given number of times with the error of a driver. */
  function failing(times: number, error: Error): { readonly work: UnitOfWork; readonly log: CollectedLog } {
    let left = times;
    const attempt = <T>(work: (statements: Statements) => Promise<T>): Promise<T> => {
      left -= 1;
      return left >= 0 ? Promise.reject(error) : work({} as Statements);
    };
    const engine: Engine = { dialect: 'sqlite', maxAttempts: 4, transaction: attempt, autocommit: attempt };
    const log = new CollectedLog();
    const { retries } = new DatabaseInstrumentation(new Meters(), log.loggers, POOL);
    return { work: new UnitOfWork(engine, new SystemRandom(), retries, {} as DataSource), log };
  }

  const deadlock = Object.assign(new Error("in row 's3cret'"), { errno: 1213, code: 'ER_LOCK_DEADLOCK' });
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', fatal: true });

  it('warns once about retried work, with the failure and the driver code', async () => {
    const { work, log } = failing(2, deadlock);

    expect(await work.run(() => Promise.resolve('done'))).toBe('done');
    expect(log.lines).toMatchObject([
      {
        logger: 'persistence',
        level: 'WARN',
        fields: { pool: POOL, failure: 'lost', driver: 'ER_LOCK_DEADLOCK', tries: 3 },
      },
    ]);
    expect(JSON.stringify(log.lines)).not.toContain('s3cret');
  });

  it('warns about failed work, and limits the warnings during an outage', async () => {
    const { work, log } = failing(50, refused);

    for (let number = 0; number < 50; number += 1) {
      await expect(work.single(() => Promise.resolve())).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    }

    expect(log.lines[0]).toMatchObject({
      level: 'WARN',
      fields: { failure: 'unreachable', driver: 'ECONNREFUSED', tries: 1 },
    });
    expect(log.lines.length).toBeLessThan(10);
  });

  it('logs nothing about successful work and about errors of the service itself', async () => {
    const { work, log } = failing(0, refused);

    await work.run(() => Promise.resolve());
    await expect(work.run(() => Promise.reject(new RangeError('a defect')))).rejects.toThrow(RangeError);

    expect(log.lines).toEqual([]);
  });
});

it('pool.connections.timeout counts units of work without a connection', async () => {
  const meters = new Meters();
  const url = `jdbc:mariadb://127.0.0.1:${await freePort()}/login`;
  const dataSource = new DataSource(await dataSourceOptions({ url }, { settings: { connectionTimeout: 2000 } }));
  const log = new CollectedLog();
  const work = unitOfWork(dataSource, new SystemRandom(), new DatabaseInstrumentation(meters, log.loggers, POOL));

  await expect(work.single((tx) => tx.rows(READ))).rejects.toMatchObject({ code: 'UNAVAILABLE' });

  expect(readings(meters, 'pool.connections.timeout')).toEqual({ [POOL]: 1 });
  expect(readings(meters, 'pool.connections.acquire')).toEqual({ [POOL]: 0 });
  expect(log.lines).toMatchObject([
    {
      level: 'WARN',
      fields: {
        failure: 'unreachable',
        driver: 'POOL_TIMEOUT',
        cause: 'ECONNREFUSED',
        total: 0,
        active: 0,
        waiting: 1,
      },
    },
  ]);
});
