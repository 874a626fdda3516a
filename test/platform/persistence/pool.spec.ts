import { createConnection } from 'mysql2/promise';
import { DataSource } from 'typeorm';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/kernel/errors/service-error.js';
import type { DatabaseAddress } from '../../../src/platform/persistence/database-address.js';
import { DatabaseInstrumentation } from '../../../src/platform/persistence/database-instrumentation.js';
import {
  dataSourceOptions,
  openDatabase,
  poolOf,
  type PoolOptions,
  unitOfWork,
} from '../../../src/platform/persistence/database.js';
import type { Host } from '../../../src/platform/persistence/jdbc/jdbc-url.js';
import { reportLimits } from '../../../src/platform/persistence/engines/server-limits.js';
import type { ServerPool } from '../../../src/platform/persistence/engines/server-pool.js';
import { PersistenceModule } from '../../../src/platform/persistence/persistence.module.js';
import type { SchemaSetup } from '../../../src/platform/persistence/schema/schema-setup.js';
import type { UnitOfWork } from '../../../src/platform/persistence/unit-of-work.js';
import { withRequestContext } from '../../../src/kernel/principal/request-context.js';
import { makeCertificate } from '../../support/http/certificates.js';
import { CollectedLog } from '../../support/programs/collected-log.js';
import { Door } from '../../support/programs/door.js';
import { type DatabaseServer, startDatabaseServer } from '../../support/database/database-server.js';
import { FakeDatabaseServer } from '../../support/database/fake-database-server.js';
import { type FreshDatabase, freshMariadbDatabase } from '../../support/database/fresh-database.js';
import { needs } from '../../support/runner/needs.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';
import { waitUntil } from '../../support/runner/wait-until.js';

const MARK = 'INSERT INTO used_mfa_token (jti, expires_at) VALUES (?, ?)';
const COUNT = 'SELECT COUNT(*) AS count FROM used_mfa_token WHERE jti = ?';
const TIMEOUT = 20_000;
/** Each of two hosts gets half of it. */
const SHORT_TIMEOUT = 12_000;

const endings: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

interface Opened {
  readonly dataSource: DataSource;
  readonly pool: ServerPool;
  readonly work: UnitOfWork;
  readonly log: CollectedLog;
}

/** A service on a schema that exists already; no connection is open yet. */
async function opened(account: Omit<FreshDatabase, 'server'>, options: PoolOptions = {}): Promise<Opened> {
  const settings = { connectionTimeout: TIMEOUT, ...options.settings };
  const dataSource = new DataSource(await dataSourceOptions(account, { ...options, settings }));
  const pool = poolOf(dataSource);
  if (!pool) throw new Error('the URL names a database server');
  endings.push(() => pool.close());
  const log = new CollectedLog();
  const work = unitOfWork(dataSource, undefined, new DatabaseInstrumentation(undefined, log.loggers));
  return { dataSource, pool, work, log };
}

function hostsOf(pool: ServerPool): readonly [Host, ...Host[]] {
  return (
    pool as unknown as { readonly connector: { readonly options: { readonly hosts: readonly [Host, ...Host[]] } } }
  ).connector.options.hosts;
}

function insert(work: UnitOfWork, name: string): Promise<boolean> {
  return work.run((tx) => tx.insert(MARK, [name, 1]));
}

async function count(work: UnitOfWork, name: string): Promise<unknown> {
  return (await work.single((tx) => tx.rows<{ readonly count: number }>(COUNT, [name])))[0]?.count;
}

function inRequest<T>(run: () => Promise<T>): Promise<T> {
  return withRequestContext({ requestId: 'request', ip: '192.0.2.1' }, run);
}

needs('mariadb')('the pool of MariaDB connections', () => {
  let database: FreshDatabase;

  beforeAll(async () => {
    database = await freshMariadbDatabase();
    const migrated = await openDatabase(database);
    await migrated.destroy();
    await waitUntil('the connections of the migrations are gone', async () => (await connections()) === 0);
  });

  /** Connections of the account that the server has. */
  async function connections(): Promise<number> {
    const { host, port, user, password } = database.server;
    const administrator = await createConnection({ host, port, user, password });
    const [rows] = await administrator.query('SELECT ID FROM information_schema.PROCESSLIST WHERE USER = ?', [
      database.username,
    ]);
    await administrator.end();
    return (rows as readonly unknown[]).length;
  }

  it('minimum-idle connections are open before they are needed, and none is left after the end', async () => {
    const { pool } = await opened(database, { settings: { maximumPoolSize: 6, minimumIdle: 4 } });
    expect(await connections()).toBe(0);

    pool.keepWarm();
    await waitUntil('four connections are open', async () => pool.state.idle === 4 && (await connections()) === 4);
    await pool.close();

    await waitUntil('the server has no connection', async () => (await connections()) === 0);
  });

  it('D5: the report of a leak names the function that has borrowed the connection', async () => {
    const log = new CollectedLog();
    const { work } = await opened(database, {
      settings: { leakDetectionThreshold: 2000 },
      logger: log.loggers.get('persistence'),
    });
    const hasReport = (): boolean => log.texts.some((text) => text.includes('may have leaked'));
    const forgetsItsConnection = (): Promise<unknown> =>
      work.run(() => waitUntil('the leak is reported', hasReport, { limitMillis: 20_000 }));

    // As in a service: the test runner sets a higher one.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 10;
    try {
      await forgetsItsConnection();
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
    }

    expect(log.texts.join('')).toContain('forgetsItsConnection');
  });

  it('a burst uses maximum-pool-size connections and no more', async () => {
    const { work, pool } = await opened(database, { settings: { maximumPoolSize: 3 } });
    // Without it, the first connection might run all statements before the others are open.
    const isFull = waitUntil('three connections are lent', () => pool.state.active === 3);
    const ids = await Promise.all(
      Array.from({ length: 30 }, () =>
        work.single(async (tx) => {
          await isFull;
          return tx.rows<{ readonly id: number }>('SELECT CONNECTION_ID() AS id');
        }),
      ),
    );

    expect(new Set(ids.flat().map(({ id }) => id)).size).toBe(3);
  });

  it('a connection that the server has closed is replaced before it is used', async () => {
    const { pool, work } = await opened(database);
    const [row] = await work.single((tx) => tx.rows<{ readonly id: number }>('SELECT CONNECTION_ID() AS id'));
    const { host, port, user, password } = database.server;
    const administrator = await createConnection({ host, port, user, password });
    await administrator.query(`KILL ${row?.id ?? 0}`);
    await administrator.end();
    await waitUntil('the pool has noticed', () => pool.state.open === 0);

    expect(await insert(work, 'replaced')).toBe(true);
  });

  it('the loss of a connection is told also if it happened before', async () => {
    const { pool } = await opened(database);
    const lease = await pool.borrow();
    let tellings = 0;
    lease.connection.onLost(() => (tellings += 1));
    lease.discard();
    await waitUntil('the connection is lost', () => tellings > 0);

    tellings = 0;
    lease.connection.onLost(() => (tellings += 1));

    expect(tellings).toBe(1);
  });

  it('a connection returns when the last response has arrived, also if its unit of work has failed before', async () => {
    const { pool, work } = await opened(database);
    const { host, port, user, password } = database.server;
    const administrator = await createConnection({ host, port, user, password });
    endings.push(() => administrator.end());
    await administrator.query("SELECT GET_LOCK('held', 1)");

    const both = work.single((tx) =>
      Promise.all([tx.rows('SELECT nothing FROM nowhere'), tx.rows("SELECT GET_LOCK('held', 60)")]),
    );
    await expect(both).rejects.toThrow('nowhere');
    expect(pool.state).toMatchObject({ idle: 0, active: 1 });
    await administrator.query("SELECT RELEASE_LOCK('held')");

    await waitUntil('the connection has returned', () => pool.state.idle === 1 && pool.state.active === 0);
  });

  it.each([
    ['the ping of the protocol', undefined, true],
    ['the configured query', 'SELECT 1 FROM DUAL', true],
    ['a query that fails', 'SELECT nothing FROM nowhere', false],
  ])('the check of a connection is %s', async (_, testQuery, succeeds) => {
    const { pool } = await opened(database, { testQuery });
    const lease = await pool.borrow();

    const alive = await lease.connection.test().then(
      () => true,
      () => false,
    );
    lease.release();

    expect(alive).toBe(succeeds);
  });

  describe('rule 4: the limits of the server', () => {
    // They would count as those of other instances.
    beforeEach(() => waitUntil('the connections of earlier tests are gone', async () => (await connections()) === 0));

    const warnings = async (settings: PoolOptions['settings'] = {}): Promise<readonly object[]> => {
      const log = new CollectedLog();
      const { pool } = await opened(database, { settings });
      await reportLimits(pool, log.loggers.get('persistence'));
      return log.lines;
    };

    it('values within the limits cause no warning', async () => {
      expect(await warnings()).toEqual([]);
    });

    it('a lifetime that is not below wait_timeout causes a warning', async () => {
      expect(await warnings({ maxLifetime: 28_800_000 })).toMatchObject([
        { level: 'WARN', fields: { maxLifetimeMillis: 28_800_000, waitTimeoutMillis: 28_800_000 } },
      ]);
      expect(await warnings({ maxLifetime: 0 })).toHaveLength(1);
    });

    it('more connections than max_connections cause a warning', async () => {
      expect(await warnings({ maximumPoolSize: 301, minimumIdle: 0 })).toMatchObject([
        { level: 'WARN', fields: { maximumPoolSize: 301, others: 0, maxConnections: 300 } },
      ]);
    });

    it('connections that this instance opens are not those of others', async () => {
      const log = new CollectedLog();
      const { dataSource, pool } = await opened(database, { settings: { maximumPoolSize: 300, minimumIdle: 40 } });
      await new PersistenceModule(dataSource, log.loggers, {} as SchemaSetup, {} as DatabaseAddress).warmUp();

      expect(log.lines).toEqual([]);
      await waitUntil('the connections are open', () => pool.state.idle === 40);
    });

    it('the connections of other instances count', async () => {
      const other = await opened(database);
      const lease = await other.pool.borrow();

      expect(await warnings({ maximumPoolSize: 300, minimumIdle: 0 })).toMatchObject([{ fields: { others: 1 } }]);
      lease.release();
    });
  });

  describe('fail-over from a server that no longer works', () => {
    let fake: FakeDatabaseServer;

    beforeEach(async () => {
      fake = new FakeDatabaseServer();
      await fake.open();
      endings.push(() => fake.close());
    });

    const behind = (port: number): Omit<FreshDatabase, 'server'> => ({
      ...database,
      url: database.url.replace('//', `//127.0.0.1:${port},`),
    });

    it.each([1290, 1792, 1836, 1047])(
      'R5: after error %i, the unit of work is repeated at the next host, and no connection to the first one is left',
      async (refuse) => {
        fake.behaviour = { refuse };
        const { pool, work } = await opened(behind(fake.port));

        const results = await Promise.all(
          Array.from({ length: 8 }, (_, index) => insert(work, `moved-${refuse}-${index}`)),
        );

        expect(results).toEqual(Array(8).fill(true));
        expect(fake.statements).toBeGreaterThan(0);
        await waitUntil('no connection is left', () => fake.connections === 0);
        expect(pool.state.open).toBeGreaterThan(0);
        for (let index = 0; index < 8; index += 1) expect(await count(work, `moved-${refuse}-${index}`)).toBe(1);
      },
    );

    it('R5: a node that has lost its cluster is passed over, and named if there is no other host', async () => {
      fake.membership = 'lost';
      const { work } = await opened(behind(fake.port));

      expect(await insert(work, 'passed over')).toBe(true);
      expect(fake.statements).toBe(0);

      const alone = { ...database, url: database.url.replace(/:\d+\//, `:${fake.port}/`) };
      await expect(openDatabase(alone)).rejects.toThrow('the node is not a working member of its cluster');
    });

    it('R5: a connection that opens at a host while the pool leaves it is not used', async () => {
      const { promise, resolve } = Promise.withResolvers<undefined>();
      fake.opensAfter = promise;
      const { pool } = await opened(behind(fake.port));
      const [host] = hostsOf(pool);
      const borrowed = pool.borrow();
      await waitUntil('a connection is opening', () => fake.connections === 1);

      pool.leave(host);
      resolve(undefined);

      const lease = await borrowed;
      expect(lease.connection.host.port).toBe(database.server.port);
      lease.release();
      await waitUntil('no connection is left', () => fake.connections === 0);
    });

    it('R5: a node that cannot wait for the other nodes of its cluster is left at the first read', async () => {
      Object.assign(fake, { membership: 'member', behaviour: { refuse: 1205 } });
      const { work, log } = await opened(behind(fake.port));

      expect(await Promise.all(Array.from({ length: 8 }, () => count(work, 'read')))).toEqual(Array(8).fill(0));

      expect(fake.statements).toBeGreaterThan(0);
      await waitUntil('no connection is left', () => fake.connections === 0);
      expect(log.of('persistence')[0]?.fields).toMatchObject({ failure: 'moved', driver: 'SYNC_WAIT_FAILED' });
    });

    it('R5: a node that cannot wait for the other nodes of its cluster is left when a unit of work begins', async () => {
      Object.assign(fake, { membership: 'member', behaviour: { refuse: 1205 } });
      const { work, log } = await opened(behind(fake.port));

      expect(await insert(work, 'begun')).toBe(true);

      await waitUntil('no connection is left', () => fake.connections === 0);
      expect(await count(work, 'begun')).toBe(1);
      expect(log.of('persistence')[0]?.fields).toMatchObject({ failure: 'moved', driver: 'SYNC_WAIT_FAILED' });
    });

    it('R5: a decision of a unit of work whose transaction did not begin is not reported, and the unit is repeated', async () => {
      Object.assign(fake, { membership: 'member', behaviour: { refuse: 1205 } });
      const { work } = await opened(behind(fake.port));
      let attempts = 0;

      const result = await work.run((tx) => {
        attempts += 1;
        // Such as for a row that only the other nodes have.
        if (attempts === 1) throw new ServiceError('NOT_FOUND');
        return tx.insert(MARK, ['decided', 1]);
      });

      expect(result).toBe(true);
      expect(attempts).toBe(2);
    });

    it('a change that waits for a lock in vain is repeated at the same node', async () => {
      Object.assign(fake, { membership: 'member', behaviour: { refuse: 1205 } });
      const { work } = await opened(behind(fake.port));

      await expect(work.single((tx) => tx.change(MARK, ['locked', 1]))).rejects.toMatchObject({ code: 'UNAVAILABLE' });

      expect(fake.statements).toBe(2);
      expect(fake.connections).toBe(1);
    });

    it.each([1, 'ON', 'NO_LOCK'])('R5: a server whose read_only is %s is passed over', async (readOnly) => {
      fake.readOnly = readOnly;
      const { work } = await opened(behind(fake.port));

      expect(await insert(work, `read-only-${readOnly}`)).toBe(true);
      expect(fake.statements).toBe(0);
    });

    it.each([0, 'OFF'])('R5: a server whose read_only is %s is used', async (readOnly) => {
      Object.assign(fake, { readOnly, behaviour: { refuse: 1290 } });
      const { work } = await opened(behind(fake.port));

      expect(await insert(work, `writable-${readOnly}`)).toBe(true);
      expect(fake.statements).toBeGreaterThan(0);
    });

    it('R5: without another host, callers get UNAVAILABLE and each attempt has a new connection', async () => {
      fake.behaviour = { refuse: 1290 };
      const { work } = await opened({ ...database, url: database.url.replace(/:\d+\//, `:${fake.port}/`) });

      await expect(insert(work, 'refused')).rejects.toMatchObject({ code: 'UNAVAILABLE' });

      await waitUntil('no connection is left', () => fake.connections === 0);
    });

    it('a connection that the server kills is not lent again', async () => {
      fake.behaviour = { refuse: 1927 };
      const { pool, work } = await opened({ ...database, url: database.url.replace(/:\d+\//, `:${fake.port}/`) });

      await expect(insert(work, 'killed')).rejects.toMatchObject({ code: 'UNAVAILABLE' });

      expect(pool.state.open).toBe(0);
    });

    it('R4: a server that accepts connections and never responds is passed over within connection-timeout', async () => {
      fake.behaviour = 'hang';
      const { work } = await opened(behind(fake.port), { settings: { connectionTimeout: SHORT_TIMEOUT } });

      expect(await inRequest(() => insert(work, 'hung'))).toBe(true);
    });

    it('R4: a server that falls silent is replaced by the next host', async () => {
      const { host, port } = database.server;
      const door = new Door({ host, port });
      await door.open();
      endings.push(() => door.shut());
      const { pool, work } = await opened(behind(door.port), {
        settings: { connectionTimeout: SHORT_TIMEOUT, validationTimeout: 1000 },
      });
      expect(await insert(work, 'before')).toBe(true);
      const hosts = async (): Promise<unknown> => {
        const lease = await pool.borrow();
        lease.release();
        return lease.connection.host.port;
      };
      expect(await hosts()).toBe(door.port);

      door.fallSilent();
      await inRequest(() => insert(work, 'silent')).catch(() => undefined);

      expect(await inRequest(() => insert(work, 'after'))).toBe(true);
      expect(await hosts()).toBe(port);
    });

    it('a host that is read-only when a connection opens is passed over', async () => {
      const server = await startDatabaseServer('mariadb', temporaryFolder('read-only'), ['--read-only=1']);
      endings.push(() => server.stop());
      const { host, port, user, password } = server;
      const administrator = await createConnection({ host, port, user, password });
      await administrator.query(`CREATE DATABASE ${database.username}`);
      await administrator.query(`CREATE USER '${database.username}'@'${host}' IDENTIFIED BY '${database.password}'`);
      await administrator.query(`GRANT ALL ON ${database.username}.* TO '${database.username}'@'${host}'`);
      await administrator.end();
      const { pool } = await opened(behind(port));

      const lease = await pool.borrow();
      lease.release();

      expect(lease.connection.host.port).toBe(database.server.port);
    });
  });

  describe('TLS', () => {
    let server: DatabaseServer;

    beforeAll(async () => {
      const { certificate, key } = makeCertificate({ key: 'rsa' });
      server = await startDatabaseServer('mariadb', temporaryFolder('tls'), [
        `--ssl-cert=${certificate}`,
        `--ssl-key=${key}`,
      ]);
      return () => server.stop();
    });

    const account = (mode: string): Omit<FreshDatabase, 'server'> => ({
      url: `jdbc:mariadb://localhost:${server.port}/mysql?sslMode=${mode}`,
      username: server.user,
      password: server.password,
    });

    it('sslMode=REQUIRED encrypts, and a connection that the server closes is noticed', async () => {
      const { pool } = await opened(account('REQUIRED'));
      const lease = await pool.borrow();
      const cipher = await lease.connection.query("SHOW STATUS LIKE 'Ssl_cipher'");
      expect(cipher).toMatchObject([{ Value: expect.stringContaining('TLS') as string }]);

      await lease.connection.query('KILL CONNECTION_ID()').catch(() => undefined);
      lease.release();

      await waitUntil('the pool has noticed', () => pool.state.open === 0);
    });

    it('sslMode=VERIFY_CA rejects a certificate of an unknown authority', async () => {
      const { pool } = await opened(account('VERIFY_CA'));

      await expect(pool.openFirst()).rejects.toMatchObject({ code: 'HANDSHAKE_SSL_ERROR' });
    });
  });

  it('R5: a primary that becomes read-only and writable again is used without a restart', async () => {
    const server = await startDatabaseServer('mariadb', temporaryFolder('primary'), []);
    endings.push(() => server.stop());
    const { host, port, user, password } = server;
    const administrator = await createConnection({ host, port, user, password });
    endings.push(() => administrator.end());
    await administrator.query('CREATE DATABASE login');
    await administrator.query(`CREATE USER 'login'@'${host}' IDENTIFIED BY 's3cret'`);
    await administrator.query(`GRANT ALL ON login.* TO 'login'@'${host}'`);
    const account = { url: `jdbc:mariadb://${host}:${port}/login`, username: 'login', password: 's3cret' };
    await (await openDatabase(account)).destroy();
    const { work } = await opened(account);
    expect(await insert(work, 'before')).toBe(true);
    const id = (): Promise<unknown> => work.single((tx) => tx.rows('SELECT CONNECTION_ID() AS id'));
    const before = await id();

    await administrator.query('SET GLOBAL read_only = 1');
    await expect(insert(work, 'during')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await administrator.query('SET GLOBAL read_only = 0');

    expect(await insert(work, 'after')).toBe(true);
    expect(await id()).not.toEqual(before);
    expect(await count(work, 'during')).toBe(0);
  });
});
