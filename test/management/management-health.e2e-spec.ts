import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { afterEach, describe, expect, it } from 'vitest';
import { makeCertificate } from '../support/http/certificates.js';
import { Door } from '../support/programs/door.js';
import { freePort } from '../support/programs/free-port.js';
import { freshMariadbDatabase } from '../support/database/fresh-database.js';
import { type Answer, HttpClient } from '../support/http/http-client.js';
import { CONSOLE_ACCEPT, type ManagedService, startManaged } from '../support/management/management.js';
import { MovedClock } from '../support/programs/moved-clock.js';
import { needs } from '../support/runner/needs.js';
import { startRedis } from '../support/database/redis.js';
import { type RunningService, runService, type ServiceOptions, startService } from '../support/programs/service.js';
import { waitUntil } from '../support/runner/wait-until.js';
import '../support/runner/matchers.js';

const HEALTH = '/actuator/health';
const ENDPOINT = '--management.endpoint.health';
const GROUP = `${ENDPOINT}.group`;
const OPEN = `${ENDPOINT}.show-details=always`;

let running: RunningService | undefined;
const endings: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  await running?.release();
  running = undefined;
  for (const end of endings.splice(0)) await end();
});

async function start(args: readonly string[] = [], options: ServiceOptions = {}): Promise<HttpClient> {
  running = await startService({ args, ...options });
  return new HttpClient(running.url);
}

async function startKnown(args: readonly string[] = []): Promise<ManagedService> {
  const service = await startManaged({ args });
  running = service;
  return service;
}

/** A client of the management listener. */
function operator(): HttpClient {
  return new HttpClient((running?.managementUrl ?? '').replace(/\/actuator$/, ''));
}

function seen({ status, body }: Answer): readonly [number, unknown] {
  return [status, body];
}

function componentOf({ body }: Answer, name: string): unknown {
  return (body['components'] as Readonly<Record<string, unknown>> | undefined)?.[name];
}

it('C3: requests whose Accept has an open quote take about as long as others', async () => {
  const client = await start();
  const millis = { open: 0, other: 0 };
  const ask = async (kind: keyof typeof millis, accept: string): Promise<void> => {
    const since = performance.now();
    expect(await client.get(HEALTH, { headers: { accept } })).toBeAnswered(406);
    millis[kind] += performance.now() - since;
  };

  // In turns, so that a busy machine slows both down.
  for (let count = 0; count < 100; count += 1) {
    await ask('open', `a/b;x="${String.raw`\"`.repeat(7700)}`);
    await ask('other', 'a/b');
  }

  // With a search from each escaped quote, they took a hundred times as long.
  expect(millis.open).toBeLessThan(20 * millis.other);
});

describe('3.1, 3.2, 3.8: health with show-details=always', () => {
  it('lists the default components by name, and the groups', async () => {
    const client = await start([OPEN]);
    const disk = {
      total: expect.any(Number) as number,
      free: expect.any(Number) as number,
      threshold: 10_485_760,
      path: `${running?.cwd ?? ''}/.`,
      exists: true,
    };

    const whole = await client.get(HEALTH);

    expect(seen(whole)).toEqual([
      200,
      {
        status: 'UP',
        components: {
          db: { status: 'UP', details: { database: 'SQLite', validationQuery: 'SELECT 1', result: 1 } },
          diskSpace: { status: 'UP', details: disk },
          livenessState: { status: 'UP' },
          ping: { status: 'UP' },
          readinessState: { status: 'UP' },
        },
        groups: ['liveness', 'readiness'],
      },
    ]);
    expect(Object.keys(whole.body['components'] as object)).toEqual([
      'db',
      'diskSpace',
      'livenessState',
      'ping',
      'readinessState',
    ]);
    expect(seen(await client.get(`${HEALTH}/ping`))).toEqual([200, { status: 'UP' }]);
    expect(seen(await client.get(`${HEALTH}/diskSpace/`))).toEqual([200, { status: 'UP', details: disk }]);
    const head = await client.send('HEAD', HEALTH);
    expect([head.status, head.text]).toEqual([200, '']);
    // A percent-encoded letter equals the letter.
    expect((await client.get(`${HEALTH}/%70ing`)).status).toBe(200);
    for (const path of ['nothing', 'ping/more', 'Ping', 'ping//', '/', '/ping', 'liveness//', 'liveness/ping']) {
      const answer = await client.get(`${HEALTH}/${path}`);
      expect([answer.status, answer.text], path).toEqual([404, '']);
    }
  });

  it('reports diskSpace as DOWN with details when its path does not exist', async () => {
    const client = await start([
      OPEN,
      '--management.health.diskspace.threshold=1024TB',
      '--management.health.diskspace.path=/no/such/folder',
      `${GROUP}.disk.include=diskSpace`,
    ]);

    const { status, body } = await client.get(`${HEALTH}/diskSpace`);

    expect([status, body]).toEqual([
      503,
      {
        status: 'DOWN',
        details: { total: 0, free: 0, threshold: 1024 ** 5, path: '/no/such/folder', exists: false },
      },
    ]);
    expect((await client.get(HEALTH)).status).toBe(503);
    expect((await client.get(`${HEALTH}/readiness`)).status).toBe(200);
  });

  it('lists only enabled components, and is UP without any', async () => {
    const args = [OPEN, '--management.health.defaults.enabled=false', `${ENDPOINT}.probes.enabled=false`];
    // No store, relay or bundle is configured.
    const on = ['ping', 'kvstore', 'mail', 'ssl'].map((name) => `--management.health.${name}.enabled=true`);
    const client = await start([...args, ...on]);
    const withPing = await client.get(HEALTH);
    await running?.release();
    const none = await start([...args, '--management.health.db.enabled=false']);

    // The packaged file enables the database component.
    expect(Object.keys(withPing.body['components'] as object)).toEqual(['db', 'ping']);
    expect(seen(await none.get(HEALTH))).toEqual([200, { status: 'UP' }]);
  });

  it('omits every component that is disabled individually', async () => {
    const off = ['ping', 'db', 'diskspace', 'kvstore', 'mail'].map(
      (name) => `--management.health.${name}.enabled=false`,
    );
    const client = await start([OPEN, ...off, '--app.data.kvstore.host=127.0.0.1', '--app.mail.host=127.0.0.1']);

    const { status, body } = await client.get(HEALTH);

    expect([status, Object.keys(body['components'] as object)]).toEqual([200, ['livenessState', 'readinessState']]);
  });
});

describe('3.3: health for unauthenticated callers', () => {
  it('M2: shows only the status and the groups, whatever headers the caller sends', async () => {
    const client = await start();
    const paths = [HEALTH, `${HEALTH}/liveness`, `${HEALTH}/db`, `${HEALTH}/liveness/livenessState`];
    for (const headers of [
      {},
      { 'x-forwarded-for': '127.0.0.1', forwarded: 'for=127.0.0.1' },
      { authorization: 'Bearer x.y.z', 'x-user': 'admin', 'x-roles': 'ROLE_MANAGEMENT' },
      { cookie: 'SESSION=x; roles=ROLE_MANAGEMENT', 'x-original-url': '/', 'x-remote-user': 'admin' },
    ]) {
      const answers = await Promise.all(paths.map((path) => client.get(path, { headers })));

      expect(answers.map(({ status, text }) => [status, text])).toEqual([
        [200, '{"status":"UP","groups":["liveness","readiness"]}'],
        [200, '{"status":"UP"}'],
        [404, ''],
        [404, ''],
      ]);
    }
  });

  it('shows component statuses without details with show-components=always', async () => {
    const client = await start([`${ENDPOINT}.show-components=always`]);

    expect(seen(await client.get(`${HEALTH}/db`))).toEqual([200, { status: 'UP' }]);
    expect(componentOf(await client.get(HEALTH), 'diskSpace')).toEqual({ status: 'UP' });
  });
});

describe('3.3, 3.7: health for operators', () => {
  it('shows all details with the packaged values, in the requested media type', async () => {
    const { operator, stranger } = await startKnown();
    const v2 = 'application/vnd.spring-boot.actuator.v2+json';
    const ask = (accept: string): Promise<Answer> => operator.get('/health', { headers: { accept } });

    const [old, console, plain] = [await ask(v2), await ask(CONSOLE_ACCEPT), await ask('application/json')];

    const components = { ping: { status: 'UP' }, db: { details: { database: 'SQLite' } } };
    expect(old.headers.get('content-type')).toBe(v2);
    expect(Object.keys(old.body)).toEqual(['status', 'details', 'groups']);
    expect((await operator.get('/health/readiness', { headers: { accept: v2 } })).body).toMatchObject({
      status: 'UP',
      details: { db: { status: 'UP', details: { database: 'SQLite' } }, readinessState: { status: 'UP' } },
    });
    expect(old.body['details']).toMatchObject(components);
    for (const { body } of [console, plain]) {
      expect(Object.keys(body)).toEqual(['status', 'components', 'groups']);
      expect(body['components']).toMatchObject(components);
    }
    expect(seen(await operator.get('/health/ping'))).toEqual([200, { status: 'UP' }]);
    // Probes show nothing but the status.
    expect((await operator.get('/health/liveness')).body).toEqual({ status: 'UP' });
    expect((await operator.get('/health/liveness/livenessState')).status).toBe(404);
    expect((await stranger.get('/health')).body).toEqual({ status: 'UP', groups: ['liveness', 'readiness'] });
  });

  it('shows components only to callers with one of the configured roles', async () => {
    const { operator } = await startKnown([`${ENDPOINT}.roles=AUDIT`, `${GROUP}.mine.roles=AUDIT,ROLE_MANAGEMENT`]);

    expect((await operator.get('/health')).body).not.toHaveProperty('components');
    expect((await operator.get('/health/mine')).body).toHaveProperty('components');
  });
});

describe('3.4, 3.5: health groups', () => {
  it('a group has its own members, visibility, status order, HTTP statuses and path', async () => {
    const client = await start([
      `${ENDPOINT}.show-details=never`,
      `${GROUP}.mine.include=*`,
      `${GROUP}.mine.exclude=db,diskSpace`,
      `${GROUP}.mine.show-components=always`,
      `${GROUP}.mine.status.order=up,down`,
      `${GROUP}.mine.status.http-mapping.up=299`,
      `${GROUP}.mine.additional-path=server:/healthz`,
    ]);
    const up = { status: 'UP' };
    const expected = [299, { ...up, components: { livenessState: up, ping: up, readinessState: up } }];

    expect(seen(await client.get(`${HEALTH}/mine`))).toEqual(expected);
    expect(seen(await client.get('/healthz'))).toEqual(expected);
    expect(seen(await client.get('/healthz/'))).toEqual(expected);
    expect(seen(await client.get(`${HEALTH}/mine/ping`))).toEqual([299, up]);
    expect((await client.get(`${HEALTH}/mine/db`)).status).toBe(404);
    expect((await client.get('/healthz/ping')).status).toBe(404);
    expect((await client.get(HEALTH)).body).toEqual({ status: 'UP', groups: ['liveness', 'mine', 'readiness'] });
  });

  it('an unknown component in a group prevents startup, and the error names it, its key and the known components', async () => {
    const { exitCode, stderr } = await runService({
      args: [`${GROUP}.ready.include=readinessState,dba`, `${GROUP}.other.exclude=nothing`],
    });

    expect(exitCode).toBe(1);
    expect(stderr).toContain('The health group "ready" names the unknown component "dba"');
    expect(stderr).toContain('The health group "other" names the unknown component "nothing"');
    expect(stderr).toContain('management.endpoint.health.group.ready.include');
    expect(stderr).toContain(
      'the components are db, diskSpace, kvstore, livenessState, mail, ping, readinessState, saml, ssl',
    );
  });

  it('without membership validation an unknown component is allowed, and a group without members returns 404', async () => {
    const client = await start([`${GROUP}.ready.include=dba`, `${ENDPOINT}.validate-group-membership=false`]);

    const answer = await client.get(`${HEALTH}/ready`);

    expect([answer.status, answer.text]).toEqual([404, '']);
  });

  it.each([
    ['server:', '/openapi.json'],
    ['management:', '/actuator'],
  ])(
    'an additional path of another route on %s prevents startup, and the error names its key',
    async (listener, path) => {
      const { exitCode, stderr } = await runService({ args: [`${GROUP}.mine.additional-path=${listener}${path}`] });

      expect(exitCode).toBe(1);
      expect(stderr).toContain(`The additional path ${path} of the health group "mine" is that of another route`);
      expect(stderr).toContain(`"${listener}${path}"`);
      expect(stderr).toMatch(
        /Origin: +"management\.endpoint\.health\.group\.mine\.additional-path" from property source/,
      );
    },
  );

  it('an additional path without a listener prefix prevents startup', async () => {
    const { exitCode, stderr } = await runService({ args: [`${GROUP}.mine.additional-path=/healthz`] });

    expect(exitCode).toBe(1);
    expect(stderr).toContain('management.endpoint.health.group.mine.additional-path');
    expect(stderr).toContain('server: or management: and a path of one part, such as server:/healthz');
  });
});

describe('3.6: liveness and readiness probes', () => {
  const OWN_PORT = ['--management.server.port=0', '--management.server.address=127.0.0.1'];
  const PATHS = `${ENDPOINT}.probes.add-additional-paths=true`;

  it('disabled probes return 404, and additional probe paths are not served unless enabled', async () => {
    const without = await start([`${ENDPOINT}.probes.enabled=false`, PATHS]);
    const paths = [`${HEALTH}/liveness`, `${HEALTH}/readiness`, '/livez', '/readyz'];
    const statuses = async (client: HttpClient) =>
      Promise.all(paths.map(async (path) => (await client.get(path)).status));

    // Unknown paths outside the base path may require authentication, so only 200 is excluded for them.
    expect((await statuses(without)).slice(0, 2)).toEqual([404, 404]);
    expect((await statuses(without)).slice(2)).not.toContain(200);
    await running?.release();
    expect((await statuses(await start())).slice(2)).not.toContain(200);
  });

  it('additional probe paths stay on the main listener below the context path, also with a management port', async () => {
    const client = await start([
      ...OWN_PORT,
      PATHS,
      '--server.servlet.context-path=/auth',
      `${GROUP}.inside.additional-path=management:/inside`,
    ]);
    const main = new HttpClient(client.baseUrl.replace(/\/auth$/, ''));

    expect(seen(await main.get('/auth/livez'))).toEqual([200, { status: 'UP' }]);
    expect(seen(await main.get('/auth/readyz'))).toEqual([200, { status: 'UP' }]);
    expect((await main.get('/livez')).status).toBe(404);
    expect((await main.get(`/auth${HEALTH}`)).status).toBe(404);
    expect((await main.get('/auth/inside')).status).toBe(404);
    expect((await operator().get('/inside')).status).toBe(200);
    expect((await operator().get('/livez')).status).toBe(404);
    expect((await operator().get(`${HEALTH}/readiness`)).status).toBe(200);
  });

  it.each(['-1', '-99'])('a management port of %s disables probes and management endpoints', async (port) => {
    const client = await start([`--management.server.port=${port}`, PATHS]);

    expect(running?.managementUrl).toBeUndefined();
    for (const path of ['/livez', '/actuator', HEALTH]) expect((await client.get(path)).status, path).toBe(404);
  });

  it('the readiness group may repeat /readyz as its additional path on a shared listener', async () => {
    const client = await start([PATHS, `${GROUP}.readiness.additional-path=management:/readyz`]);

    expect((await client.get('/readyz')).status).toBe(200);
  });

  it('probe paths stay when the readiness group has an additional path of its own', async () => {
    const client = await start([...OWN_PORT, PATHS, `${GROUP}.readiness.additional-path=management:/ready`]);

    expect((await client.get('/livez')).status).toBe(200);
    expect((await client.get('/readyz')).status).toBe(200);
    expect((await operator().get('/ready')).status).toBe(200);
  });

  it('R1: during the pre-drain of shutdown readiness fails on both listeners while liveness stays UP', async () => {
    const client = await start([...OWN_PORT, PATHS, '--server.shutdown-pre-drain=60s']);
    const service = running;
    if (service) process.kill(service.pid, 'SIGTERM');

    await waitUntil('readiness returns 503', async () => (await client.get('/readyz')).status === 503);

    expect(seen(await client.get('/readyz'))).toEqual([503, { status: 'OUT_OF_SERVICE' }]);
    expect(seen(await client.get('/livez'))).toEqual([200, { status: 'UP' }]);
    expect(seen(await operator().get(`${HEALTH}/readiness`))).toEqual([503, { status: 'OUT_OF_SERVICE' }]);
    expect(seen(await operator().get(`${HEALTH}/liveness`))).toEqual([200, { status: 'UP' }]);
    expect((await operator().get(HEALTH)).status).toBe(503);
  });

  it('a group named readiness replaces the members of the readiness probe', async () => {
    const client = await start([`${GROUP}.readiness.include=ping`, `${GROUP}.readiness.show-components=always`]);

    expect((await client.get(`${HEALTH}/readiness`)).body).toEqual({
      status: 'UP',
      components: { ping: { status: 'UP' } },
    });
  });
});

describe('health of the SQLite database', () => {
  it('reports db as DOWN while the database file is missing, without affecting liveness', async () => {
    const client = await start([OPEN, `${GROUP}.liveness.include=*`]);
    const file = join(running?.cwd ?? '', 'data', 'login.db');

    renameSync(file, `${file}.away`);
    const away = await client.get(HEALTH);
    const probes = [await client.get(`${HEALTH}/liveness`), await client.get(`${HEALTH}/readiness`)];
    renameSync(`${file}.away`, file);

    expect(away.status).toBe(503);
    expect(away.body['status']).toBe('DOWN');
    expect(componentOf(away, 'db')).toEqual({
      status: 'DOWN',
      details: { error: 'Error: the file of the database cannot be found' },
    });
    expect(probes.map(({ status }) => status)).toEqual([200, 503]);
    expect(Object.keys(probes[0]?.body['components'] as object)).not.toContain('db');
    expect((await client.get(HEALTH)).status).toBe(200);
  });
});

interface Seen {
  readonly whole: Answer | undefined;
  /** The statuses of liveness and readiness. */
  readonly probes: readonly number[];
}

needs('mariadb')('readiness and requests that do not end', () => {
  it('X1: readiness fails while every request waits for a table lock, and recovers after it', async () => {
    const { url, username, password, server } = await freshMariadbDatabase();
    const client = await start([
      `--app.datasource.url=${url}`,
      `--app.datasource.username=${username}`,
      `--app.datasource.password=${password}`,
      '--server.embedded.threads.max=2',
      '--server.embedded.connection-timeout=500ms',
    ]);
    const { host, port, user } = server;
    const other = await createConnection({ host, port, user, password: server.password, database: username });
    endings.push(() => other.end());
    const readiness = async (): Promise<number> => (await client.get(`${HEALTH}/readiness`)).status;
    expect(await readiness()).toBe(200);

    await other.query('LOCK TABLES account WRITE');
    const logins = [1, 2].map(() => client.post('/login', { id: 'admin', pw: 'wrong' }));
    await waitUntil('readiness fails', async () => (await readiness()) === 503);
    await other.query('UNLOCK TABLES');

    expect((await Promise.all(logins)).map(({ status }) => status)).toEqual([401, 401]);
    expect(await readiness()).toBe(200);
  });
});

needs('mariadb')('R4: health of a database server', () => {
  it('follows outage, silence and recovery of the server without a restart while liveness stays UP', async () => {
    const { url, username, password, server } = await freshMariadbDatabase();
    const door = new Door(server);
    await door.open();
    endings.push(() => door.shut());
    const client = await start([
      OPEN,
      `--app.datasource.url=${url.replace('jdbc:mariadb', 'jdbc:mysql').replace(`:${server.port}/`, `:${door.port}/`)}`,
      `--app.datasource.username=${username}`,
      `--app.datasource.password=${password}`,
    ]);
    const look = async (): Promise<Seen> => {
      const [whole, ...probes] = await Promise.all(
        [HEALTH, `${HEALTH}/liveness`, `${HEALTH}/readiness`].map((path) => client.get(path)),
      );
      return { whole, probes: probes.map(({ status }) => status) };
    };
    const errorOf = (whole: Answer | undefined): string => JSON.stringify(whole && componentOf(whole, 'db'));

    const good = (): Promise<Seen> =>
      waitUntil('the database is UP', async () => {
        const seen = await look();
        return seen.whole?.status === 200 && seen;
      });

    const before = await good();
    await door.shut();
    const shut = await look();
    await door.open();
    const back = await good();
    door.fallSilent();
    const silent = await look();
    await door.shut();
    await door.open();
    const again = await good();

    expect(before.whole && componentOf(before.whole, 'db')).toEqual({
      status: 'UP',
      details: { database: 'MariaDB', validationQuery: 'SELECT 1 FROM DUAL', result: 1 },
    });
    for (const bad of [shut, silent]) {
      expect(bad.whole?.status).toBe(503);
      expect(bad.whole?.body['status']).toBe('DOWN');
      expect(bad.probes).toEqual([200, 503]);
      expect(bad.whole?.text).not.toContain(password);
      expect(bad.whole?.text).not.toContain(username);
    }
    // A pooled connection can report the loss before a new connection is refused.
    expect(errorOf(shut.whole)).toMatch(/ECONNREFUSED|Connection lost/);
    expect(errorOf(silent.whole)).toContain('TimeoutError: no answer within 1s');
    for (const { probes } of [before, back, again]) expect(probes).toEqual([200, 200]);
  });
});

describe('health of configured servers', () => {
  it('reports kvstore and mail as DOWN with the connection error when their ports are closed', async () => {
    const [store, relay] = [await freePort(), await freePort()];
    const client = await start([
      OPEN,
      ...['--app.data.kvstore.host=127.0.0.1', `--app.data.kvstore.port=${store}`],
      ...['--app.mail.host=127.0.0.1', `--app.mail.port=${relay}`],
    ]);

    const answer = await client.get(HEALTH);

    expect(answer.status).toBe(503);
    expect(componentOf(answer, 'kvstore')).toEqual({
      status: 'DOWN',
      details: { error: `Error: connect ECONNREFUSED 127.0.0.1:${store}` },
    });
    expect(componentOf(answer, 'mail')).toEqual({
      status: 'DOWN',
      details: { location: `127.0.0.1:${relay}`, error: `Error: connect ECONNREFUSED 127.0.0.1:${relay}` },
    });
  });
});

needs('redis')('health of the key-value store', () => {
  it('reports kvstore as UP with the server version', async () => {
    const redis = await startRedis();
    endings.push(() => redis.stop());
    const client = await start([OPEN, '--app.data.kvstore.host=127.0.0.1', `--app.data.kvstore.port=${redis.port}`]);

    expect(seen(await client.get(`${HEALTH}/kvstore`))).toEqual([
      200,
      { status: 'UP', details: { version: expect.stringMatching(/^\d+\.\d+/) as string } },
    ]);
  });
});

needs('redis')('readiness and the key-value store', () => {
  it('the store decides about readiness if the key of the group includes it, and not otherwise', async () => {
    const redis = await startRedis();
    endings.push(() => redis.stop());
    const store = ['--app.data.kvstore.host=127.0.0.1', `--app.data.kvstore.port=${redis.port}`];
    const bare = await startService({ args: store });
    endings.push(() => bare.release());
    const included = await start([...store, `${GROUP}.readiness.include=readinessState,db,kvstore`]);
    const READINESS = `${HEALTH}/readiness`;
    const probe = async (): Promise<readonly number[]> => [
      (await included.get(READINESS)).status,
      (await new HttpClient(bare.url).get(READINESS)).status,
    ];

    const before = await probe();
    await redis.stop();
    const away = await probe();
    const again = await startRedis({ port: redis.port });
    endings.push(() => again.stop());
    await waitUntil('the service is ready', async () => (await included.get(READINESS)).status === 200);

    expect([before, away]).toEqual([
      [200, 200],
      [503, 200],
    ]);
  });
});

needs('openssl')('health of TLS certificates', () => {
  it('reports a certificate of a bundle that will expire soon, and OUT_OF_SERVICE once it has expired', async () => {
    const { certificate, key } = makeCertificate({ days: 20 });
    const clock = new MovedClock();
    // The clock starts before the certificate was created, so it must move into its validity.
    clock.advance(60);
    const args = [`keystore.certificate=${certificate}`, `keystore.private-key=${key}`].map(
      (member) => `--app.ssl.bundle.pem.web.${member}`,
    );
    const service = await startManaged({ args: [OPEN, ...args], nodeArguments: clock.nodeArguments });
    running = service;
    const client = service.operator;

    const before = await client.get('/health/ssl');
    clock.advance(10 * 86_400);
    const soon = await client.get('/health/ssl');
    const meter = await client.get('/metrics/ssl.chain.expiry?tag=bundle:web');
    clock.advance(11 * 86_400);
    const after = await client.get('/health/ssl');

    expect(seen(before)).toMatchObject([200, { status: 'UP', details: { expiringChains: [], invalidChains: [] } }]);
    const expiring = [{ bundle: 'web', certificates: [{ validity: 'WILL_EXPIRE_SOON' }] }];
    expect(seen(soon)).toMatchObject([
      200,
      { status: 'UP', details: { validChains: expiring, expiringChains: expiring, invalidChains: [] } },
    ]);
    expect(seen(meter)).toMatchObject([200, { baseUnit: 'seconds', availableTags: expect.anything() as unknown }]);
    const [{ value = 0 } = {}] = (seen(meter)[1] as { measurements: { value?: number }[] }).measurements;
    expect(Math.round(value / 86_400)).toBe(10);
    expect(seen(after)).toMatchObject([
      503,
      {
        status: 'OUT_OF_SERVICE',
        details: {
          validChains: [],
          expiringChains: [],
          invalidChains: [{ bundle: 'web', certificates: [{ subject: 'CN=login.test', validity: 'EXPIRED' }] }],
        },
      },
    ]);
  });
});

needs('openssl')('A5: health groups with optional components', () => {
  const ALL = ['db', 'diskSpace', 'kvstore', 'mail', 'ping', 'saml', 'ssl'];
  const GROUPS = [
    `${GROUP}.readiness.include=readinessState,${ALL.join()}`,
    `${GROUP}.staff.include=saml`,
    `${GROUP}.rest.exclude=${ALL.filter((name) => name !== 'ping').join()}`,
    `${GROUP}.staff.show-components=always`,
    `${GROUP}.readiness.show-components=always`,
  ];

  it('a group may include saml, ssl and other components that are not configured', async () => {
    const client = await start(GROUPS);

    const ready = await client.get(`${HEALTH}/readiness`);

    expect(ready).toBeAnswered(200);
    expect(Object.keys(ready.body['components'] as object)).toEqual(['db', 'diskSpace', 'ping', 'readinessState']);
    expect(seen(await client.get(`${HEALTH}/staff`))).toEqual([200, { status: 'UP' }]);
    expect((await client.get(`${HEALTH}/staff/saml`)).status).toBe(404);
    expect(await client.get(`${HEALTH}/rest`)).toBeAnswered(200);
    expect(running?.log).toContain('INFO The health group staff has no saml: it is not configured');
  });

  it('a group shows optional components once they are configured', async () => {
    const [store, relay, web] = [await freePort(), await freePort(), makeCertificate({ key: 'rsa' })];
    const client = await start([
      ...GROUPS,
      ...[`--app.data.kvstore.host=127.0.0.1`, `--app.data.kvstore.port=${store}`],
      ...[`--app.mail.host=127.0.0.1`, `--app.mail.port=${relay}`],
      ...[`--app.ssl.bundle.pem.web.keystore.certificate=${web.certificate}`],
      ...[`--app.ssl.bundle.pem.web.keystore.private-key=${web.key}`],
      ...['entity-id=urn:corp', 'sso-url=https://idp.test/sso', `certificates=file:${web.certificate}`].map(
        (key) => `--app.security.saml.idp.corp.${key}`,
      ),
    ]);

    const ready = await client.get(`${HEALTH}/readiness`);

    expect(Object.keys(ready.body['components'] as object)).toEqual([
      'db',
      'diskSpace',
      'kvstore',
      'mail',
      'ping',
      'readinessState',
      'saml',
      'ssl',
    ]);
    expect(seen(await client.get(`${HEALTH}/staff`))).toEqual([
      200,
      { status: 'UP', components: { saml: { status: 'UP' } } },
    ]);
  });

  it('a misspelled component in a group prevents startup, and the error lists the known components', async () => {
    const { exitCode, stderr } = await runService({ args: [`${GROUP}.staff.include=saml,smal`] });

    expect(exitCode).toBe(1);
    expect(stderr).toContain('The health group "staff" names the unknown component "smal"');
    expect(stderr).toContain('db, diskSpace, kvstore, livenessState, mail, ping, readinessState, saml, ssl');
  });
});
