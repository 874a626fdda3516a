import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/platform/persistence/database.js';
import { DatabaseUnavailable } from '../../../src/platform/persistence/engines/database-unavailable.js';
import { connectionOptions } from '../../../src/platform/persistence/engines/server-options.js';
import { type JdbcServer, parseJdbcUrl } from '../../../src/platform/persistence/jdbc/jdbc-url.js';
import { freePort } from '../../support/programs/free-port.js';
import { freshMariadbDatabase } from '../../support/database/fresh-database.js';
import { needs } from '../../support/runner/needs.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';

describe('errors of a database that cannot be opened', () => {
  it('a closed port is reported without the password', async () => {
    const port = await freePort();
    const failure = await failureOf({
      url: `jdbc:mysql://ann:s3cret@127.0.0.1:${port}/login?password=s3cret`,
      password: 's3cret',
    });

    expect(failure.problem).toEqual({
      what: 'The database cannot be opened',
      facts: [
        ['Property', 'app.datasource.url'],
        ['Value', `jdbc:mysql://******@127.0.0.1:${port}/login?password=******`],
        ['Reason', 'nothing listens at that host and port'],
      ],
      action: 'Start the database server, or correct host and port in app.datasource.url.',
    });
    expect(failure.message).not.toContain('s3cret');
  });

  it.each([
    ['an unsupported database', 'jdbc:oracle:thin:@db:1521:login', 'supported are jdbc:sqlite:'],
    ['an unresolvable host', 'jdbc:mysql://no-such-host.invalid/login', 'the name of the host'],
  ])('%s is reported', async (_, url, reason) => {
    expect(reasonOf(await failureOf({ url }))).toContain(reason);
  });

  it.each([
    ['a folder', 'folder', 'the path is a folder'],
    ['below a file', 'text/login.db', 'a part of the path is not a folder'],
    ['not a database', 'text', 'the file is not a database'],
  ])('a database file that is %s is reported', async (_, path, reason) => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'folder'));
    writeFileSync(join(folder, 'text'), 'This is a text and not a database at all.'.repeat(100));

    expect(reasonOf(await failureOf({ url: `jdbc:sqlite:${join(folder, path)}` }))).toBe(reason);
  });
});

needs('mariadb')('errors of a MariaDB that rejects the connection', () => {
  it('a wrong password is reported with the account as the setting to correct', async () => {
    const { url, username } = await freshMariadbDatabase();
    const failure = await failureOf({ url, username, password: 'wr0ng' });

    expect(reasonOf(failure)).toBe('the server refuses the account or its password');
    expect(failure.problem.action).toContain('app.datasource.username');
    expect(JSON.stringify([failure.problem, failure.message])).not.toContain('wr0ng');
  });

  it('D5: a URL that is right is not to be corrected', async () => {
    const { url, username, password, server } = await freshMariadbDatabase();
    const { host, port } = server;
    const administrator = await createConnection({ host, port, user: server.user, password: server.password });
    await administrator.query(`ALTER USER '${username}'@'${host}' WITH MAX_USER_CONNECTIONS 1`);
    const only = await createConnection({ host, port, user: username, password });
    const full = await failureOf({ url, username, password });
    await only.end();
    await administrator.query(`ALTER USER '${username}'@'${host}' ACCOUNT LOCK`);
    const locked = await failureOf({ url, username, password });
    await administrator.end();

    expect(reasonOf(full)).toBe('the account has no connection left');
    expect(full.problem.action).toContain('app.datasource.pool.maximum-pool-size');
    expect(reasonOf(locked)).toMatch(/locked/);
    expect(locked.problem.action).not.toContain('app.datasource.url');
  });

  it('a missing database is reported', async () => {
    const { url, server } = await freshMariadbDatabase();
    const failure = await failureOf({ url: `${url}_not`, username: server.user, password: server.password });

    expect(reasonOf(failure)).toBe('the server has no database of that name');
  });

  it('a server without required TLS is reported', async () => {
    const { url, username, password } = await freshMariadbDatabase();

    expect(reasonOf(await failureOf({ url: `${url}?sslMode=REQUIRED`, username, password }))).toBe(
      'the server offers no TLS',
    );
  });
});

needs('mariadb')('MariaDB URLs', () => {
  it('the first reachable host of several is used', async () => {
    const { url, username, password } = await freshMariadbDatabase();
    const dead = `127.0.0.1:${await freePort()}`;
    const dataSource = await openDatabase({ url: url.replace('//', `//${dead},`), username, password });

    expect(await dataSource.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await dataSource.destroy();
  });

  it('the URL may contain the account', async () => {
    const { url, username, password } = await freshMariadbDatabase();
    const dataSource = await openDatabase({ url: url.replace('//', `//${username}:${password}@`) });

    expect(await dataSource.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await dataSource.destroy();
  });

  it('socketTimeout limits the wait for a silent server', async () => {
    const { url, username, password } = await freshMariadbDatabase();
    const settings = { url: `${url}?socketTimeout=1000`, username, password };
    // Without migrations, whose statements have the same limit.
    const dataSource = await openDatabase(settings, {}, () => Promise.resolve());

    await expect(dataSource.query('SELECT SLEEP(5)')).rejects.toThrow('Query inactivity timeout');
    await dataSource.destroy();
  });
});

describe('allowPublicKeyRetrieval=false', () => {
  it('allowPublicKeyRetrieval=false rejects a key that arrives without TLS', async () => {
    const location = parseJdbcUrl('jdbc:mysql://db/login?allowPublicKeyRetrieval=false') as JdbcServer;
    const { authPlugins } = (await connectionOptions(location, {})) as { authPlugins: Record<string, LoginPlugin> };
    const answer = authPlugins['caching_sha2_password']?.({ connection: { config: { password: 'p' } } });

    answer?.(Buffer.alloc(20));
    expect(answer?.(Buffer.from([4]))).toEqual(Buffer.from([2]));
    expect(() => answer?.(Buffer.from('the key of whoever listens'))).toThrow('allowPublicKeyRetrieval is false');
  });
});

type LoginPlugin = (about: { connection: object }) => (data: Buffer) => Buffer | null;

async function failureOf(settings: Parameters<typeof openDatabase>[0]): Promise<DatabaseUnavailable> {
  const failure: unknown = await openDatabase(settings).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(DatabaseUnavailable);
  return failure as DatabaseUnavailable;
}

function reasonOf({ problem }: DatabaseUnavailable): string | undefined {
  return problem.facts.find(([label]) => label === 'Reason')?.[1];
}
