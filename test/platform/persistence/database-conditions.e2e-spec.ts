import { DatabaseSync } from 'node:sqlite';
import { type Connection, createConnection } from 'mysql2/promise';
import { afterEach, expect, it } from 'vitest';
import { type FreshDatabase, freshMariadbDatabase } from '../../support/database/fresh-database.js';
import { HttpClient } from '../../support/http/http-client.js';
import { needs } from '../../support/runner/needs.js';
import { logOf, type RunningService, startService } from '../../support/programs/service.js';
import { waitUntil } from '../../support/runner/wait-until.js';

const REQUESTS = 6;
const ARGS = [
  '--app.security.rate-limit.enabled=false',
  '--app.security.password.hash.memory=1MB',
  '--app.security.password.hash.iterations=1',
  '--app.security.password.hash.parallelism=1',
  '--app.security.password.import.min-hash=any',
  '--server.embedded.max-wait=1m',
  '--server.embedded.target-response-time=0',
];

const endings: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

/** The log of a service from a moment on. */
interface Watched {
  readonly service: RunningService;
  /** The warnings and errors. */
  readonly troubles: () => readonly string[];
  /** The number of errors with a stack. */
  readonly stacks: () => number;
}

async function started(...args: readonly string[]): Promise<Watched> {
  const service = await startService({ args: [...ARGS, ...args] });
  endings.push(() => service.release());
  // A startup is complete once it has created its first user.
  await waitUntil('the initial administrator is printed', () => service.stdout.includes('First user'));
  expect(await signIns(service, 1)).toEqual([401]);
  const { length } = service.stdout;
  return {
    service,
    // Failed sign-ins are security events, and no trouble.
    troubles: () => logOf(service.stdout.slice(length)).filter((line) => /^(?:WARN (?!LOGIN_)|ERROR )/.test(line)),
    // The first frame of each stack follows a line that is no frame.
    stacks: () => service.stdout.slice(length).match(/^(?!\s+at ).*\n\s+at /gm)?.length ?? 0,
  };
}

/** The statuses of logins of users that do not exist, sent at once; each records a security event. */
async function signIns({ url }: RunningService, count = REQUESTS): Promise<readonly number[]> {
  const answers = Array.from({ length: count }, (_, number) =>
    new HttpClient(url).post('/login', { id: `unknown-${number}`, pw: 'wrong' }),
  );
  return (await Promise.all(answers)).map(({ status }) => status);
}

/** Sends logins twice, the second ones once the condition is known. */
async function refused({ service }: Watched, count = REQUESTS): Promise<void> {
  const statuses = [...(await signIns(service, count)), ...(await signIns(service, count))];
  expect(statuses).toEqual(Array.from({ length: 2 * count }, () => 503));
}

/** The warnings of the whole log: one of each kind, and no stack. */
async function warningsOf({ service, troubles, stacks }: Watched): Promise<readonly string[]> {
  await service.stop();
  const lines = troubles();
  // A kind is the message with the failure; the counts of the pool may differ.
  const kinds = lines.map((line) => line.replace(/ tries=.*/, ''));
  expect(kinds).toEqual([...new Set(kinds)]);
  expect(kinds).toEqual(kinds.filter((kind) => kind.startsWith('WARN ')));
  expect(stacks()).toBe(0);
  return lines;
}

it('D4: a locked embedded database costs one warning, however many requests it refuses', async () => {
  const watched = await started('--app.datasource.pool.connection-timeout=1000');
  const other = new DatabaseSync(`${watched.service.cwd}/data/login.db`);
  endings.push(() => {
    other.close();
  });
  other.exec('BEGIN IMMEDIATE');

  // Each one takes seconds, in which the only connection tries again many times.
  await refused(watched, 1);
  other.exec('ROLLBACK');

  expect(await signIns(watched.service, 1)).toEqual([401]);
  expect(await warningsOf(watched)).toContainEqual(expect.stringMatching(/SQLITE 5/));
});

needs('mariadb')('requests that a MariaDB refuses', () => {
  interface Opened {
    readonly database: FreshDatabase;
    /** A session of the administrator of the server. */
    readonly root: Connection;
    readonly watched: Watched;
  }

  async function opened(...args: readonly string[]): Promise<Opened> {
    const database = await freshMariadbDatabase();
    const { url, username, password, server } = database;
    const { host, port, user } = server;
    const root = await createConnection({ host, port, user, password: server.password, database: username });
    endings.push(() => root.end());
    const datasource = { url, username, password };
    const watched = await started(
      ...Object.entries(datasource).map(([key, value]) => `--app.datasource.${key}=${value}`),
      ...args,
    );
    return { database, root, watched };
  }

  it('D4: a revoked right costs one warning', async () => {
    const { database, root, watched } = await opened();
    const { username, server } = database;
    const account = `'${username}'@'${server.host}'`;
    await root.query(`REVOKE ALL PRIVILEGES ON ${username}.* FROM ${account}`);
    await root.query(`GRANT SELECT, UPDATE, DELETE ON ${username}.* TO ${account}`);
    // The server reads the rights of an account on its database when a session begins.
    await root.query(`KILL SOFT CONNECTION USER ${account}`);

    await refused(watched);
    await root.query(`GRANT INSERT ON ${username}.* TO ${account}`);

    expect(await warningsOf(watched)).toContainEqual(expect.stringMatching(/ER_TABLEACCESS_DENIED_ERROR/));
  });

  it('D4: a locked table, and the pool that it exhausts, cost one warning of each kind', async () => {
    const { root, watched } = await opened(
      '--app.datasource.pool.connection-timeout=1000',
      '--app.datasource.pool.maximum-pool-size=2',
    );
    await root.query('LOCK TABLES security_event WRITE');

    await refused(watched);
    await root.query('UNLOCK TABLES');

    expect(await warningsOf(watched)).toContainEqual(expect.stringMatching(/POOL_(?:SILENT|TIMEOUT)/));
  });

  it.each([
    [1290, 'read-only'],
    [1114, 'full'],
    [1461, 'prepared statements'],
  ])('D4: error %i of the server costs one warning', async (number, reason) => {
    const { root, watched } = await opened();
    await root.query(
      `CREATE TRIGGER refusal BEFORE INSERT ON security_event FOR EACH ROW SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = ${number}`,
    );

    await refused(watched);
    await root.query('DROP TRIGGER refusal');

    expect(await warningsOf(watched)).toContainEqual(expect.stringContaining(reason));
  });

  it('D4: a defect is logged with its stack for each request', async () => {
    const { root, watched } = await opened();
    // Only logins read this column: a job in the background would log the defect, too.
    await root.query('ALTER TABLE account RENAME COLUMN password_ends_at TO password_valid_until');

    expect(await signIns(watched.service, 2)).toEqual([500, 500]);

    await watched.service.stop();
    expect(watched.troubles()).toEqual(['ERROR INTERNAL_ERROR POST /login', 'ERROR INTERNAL_ERROR POST /login']);
    expect(watched.stacks()).toBe(2);
  });
});
