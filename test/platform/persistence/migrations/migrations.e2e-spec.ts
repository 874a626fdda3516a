import { randomBytes } from 'node:crypto';
import { createConnection } from 'mysql2/promise';
import { afterEach, describe, expect, it } from 'vitest';
import '../../../../src/apps/schema/history.js';
import { HISTORY, knownLevel } from '../../../../src/platform/persistence/migrations/history.js';
import { type FreshDatabase, freshMariadbDatabase } from '../../../support/database/fresh-database.js';
import { needs } from '../../../support/runner/needs.js';
import { PROD } from '../../../support/programs/prod.js';
import { SEAL_ARGS } from '../../../support/programs/restored-service.js';
import {
  type Ended,
  type RunningService,
  type ServiceOptions,
  runCli,
  runService,
  startService,
} from '../../../support/programs/service.js';
import { temporaryFolder } from '../../../support/programs/temporary-folder.js';
import { onEachEngine, type StoryDatabase } from '../../../support/database/story-database.js';

const NAMES = HISTORY.map(({ migration }) => migration.name);
const NEWEST = NAMES.at(-1) ?? '';
const LATER = 'Later1899999999999';
const TIME = String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`;

const running: RunningService[] = [];

afterEach(async () => {
  for (const service of running.splice(0)) await service.release();
});

async function start(args: readonly string[], options: ServiceOptions = {}): Promise<RunningService> {
  const service = await startService({ ...options, args });
  running.push(service);
  return service;
}

async function migrate(
  command: readonly string[],
  { args }: StoryDatabase,
): Promise<Ended & { lines: readonly string[] }> {
  const ended = await runCli(['migrate', ...command, ...args]);
  return { ...ended, lines: ended.stdout.split('\n').slice(0, -1) };
}

/** Reverts until a migration is the last one; returns the number of reverts. */
async function revertTo(last: string, database: StoryDatabase): Promise<number> {
  const later = HISTORY.slice(HISTORY.findIndex(({ migration }) => migration.name.startsWith(last)) + 1);
  for (const { migration, revertLoses } of later.toReversed()) {
    const { stdout, stderr } = await migrate(['down', ...(revertLoses === null ? [] : ['--force'])], database);
    expect(stdout, stderr).toBe(`Reverted ${migration.name}.\n`);
  }
  return later.length;
}

onEachEngine('migrations by command', (engine) => {
  it('up applies what status calls pending, and down reverts the last migration', async () => {
    const database = await engine.freshDatabase();

    // Creates the file of an embedded database: a command that reads creates none.
    await database.query('SELECT 1');
    const before = await migrate(['status'], database);
    const up = await migrate(['up', '--create'], database);
    const after = await migrate(['status'], database);
    const again = await migrate(['up'], database);
    const down = await migrate(['down', '--force'], database);
    const reverted = await migrate(['status'], database);

    expect(before.lines).toEqual(NAMES.map((name) => `pending  ${name}`));
    expect(up.lines).toEqual(NAMES.map((name) => `Applied ${name}.`));
    expect(after.lines).toEqual(NAMES.map((name) => expect.stringMatching(`^applied  ${name}  ${TIME}$`) as unknown));
    expect(again.lines).toEqual(['No migration is pending.']);
    expect(down.lines).toEqual([`Reverted ${NEWEST}.`]);
    expect(reverted.lines.at(-1)).toBe(`pending  ${NEWEST}, running versions continue to work`);
    expect([before, up, after, again, down].map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0, 0]);
  });

  it('C9: down needs no --force where a revert loses nothing, such as passkeys of a database without any', async () => {
    const database = await engine.freshDatabase();
    await migrate(['up', '--create'], database);
    const lines: string[] = [];
    while (!lines.includes('Reverted BackupCodePeppers1795824000061.')) {
      const { stdout, stderr, exitCode } = await migrate(['down'], database);
      expect(exitCode, stdout + stderr).toBe(0);
      lines.push(stdout.trim());
    }

    expect(lines).toContain('Reverted Passkeys1796700000002.');
  }, 60_000);

  it('down refuses to lose facts without --force, and never reverts the first migration', async () => {
    const database = await engine.freshDatabase();
    await migrate(['up', '--create'], database);
    const reverted = await revertTo('MetadataRequests', database);
    await database.query("INSERT INTO metadata_request (idp, requests) VALUES ('corp', 1)");

    const refused = await migrate(['down'], database);
    const stillApplied = await migrate(['status'], database);
    const ends: Ended[] = [];
    for (let left = NAMES.length - reverted; left > 0; left -= 1)
      ends.push(await migrate(['down', '--force'], database));

    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toContain('would lose requests to read metadata again');
    expect(stillApplied.lines.filter((line) => line.startsWith('pending'))).toHaveLength(reverted);
    expect(ends.map(({ exitCode }) => exitCode)).toEqual([...NAMES.slice(reverted + 1).map(() => 0), 1]);
    expect(ends.at(-1)?.stderr).toContain('is never reverted');
    expect(await database.query('SELECT COUNT(*) AS number FROM account')).toEqual([{ number: 0 }]);
  }, 60_000);

  it('a database that an earlier version migrated gets its records, without times', async () => {
    const database = await engine.freshDatabase();
    await migrate(['up', '--create'], database);
    await revertTo('PlainNames', database);

    const service = await start(database.args);
    const { lines } = await migrate(['status'], database);

    expect(service.log.filter((line) => line.includes('Migrated the tables'))).toEqual([
      expect.stringContaining('MigrationRecords') as unknown,
    ]);
    const recorded = NAMES.findIndex((name) => name.startsWith('MigrationRecords'));
    expect(lines).toEqual([
      ...NAMES.slice(0, recorded).map((name) => `applied  ${name}  at an unrecorded time`),
      ...NAMES.slice(recorded).map((name) => expect.stringMatching(`^applied  ${name}  ${TIME}$`) as unknown),
    ]);
    expect(await database.query('SELECT COUNT(*) AS number FROM migrations WHERE compatible_from IS NULL')).toEqual([
      { number: 0 },
    ]);
  });
});

onEachEngine('tables of a newer version', (engine) => {
  async function newerTables(compatibleFrom: number | null): Promise<StoryDatabase> {
    const database = await engine.freshDatabase();
    await migrate(['up', '--create'], database);
    await database.query('INSERT INTO migrations (timestamp, name, applied_at, compatible_from) VALUES (?, ?, ?, ?)', [
      1_899_999_999_999,
      LATER,
      1_800_000_000,
      compatibleFrom,
    ]);
    return database;
  }

  it('a service restarts on tables that a newer version has declared compatible', async () => {
    const database = await newerTables(knownLevel());

    const service = await start(database.args);
    const { lines } = await migrate(['status'], database);

    expect(service.log).toContain(`INFO The tables are newer than this version, which may run on them newer=Later`);
    expect((await fetch(`${service.url}/actuator/health/readiness`)).status).toBe(200);
    expect(lines.at(-1)).toBe(`unknown  ${LATER}  2027-01-15T08:00:00.000Z, this version may run`);
  });

  it.each([
    ['that only newer versions may use', knownLevel() + 1],
    ['without a declaration', null],
  ])('a service refuses tables %s, changes nothing and says what to do', async (_, compatibleFrom) => {
    const database = await newerTables(compatibleFrom);

    const { exitCode, stderr } = await runService({ args: database.args });
    const up = await migrate(['up', '--create'], database);
    const down = await migrate(['down'], database);
    const { lines } = await migrate(['status'], database);

    expect(exitCode).toBe(1);
    expect(stderr).toContain('The tables are newer than this version of the service');
    expect(stderr).toMatch(new RegExp(`Migrations: +${LATER}\\n`));
    expect(stderr).toContain('Start the version that applied these migrations, or a newer one.');
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(up).toMatchObject({ exitCode: 1, stdout: '' });
    expect(down).toMatchObject({ exitCode: 1, stdout: '' });
    expect(down.stderr).toContain('Revert it with the version that applied it.');
    expect(lines.at(-1)).toContain('needs a newer version');
  });

  it('a command refuses newer tables, too', async () => {
    const database = await newerTables(null);

    const { exitCode, stderr } = await runCli(['users', 'list', ...database.args, ...SEAL_ARGS]);

    expect(exitCode).toBe(3);
    expect(stderr).toContain('The tables are newer than this version of the service');
  });
});

onEachEngine('app.persistence.migrate-at-start', (engine) => {
  it('pending migrations prevent startup until migrate up has run, if the key is false', async () => {
    const database = await engine.freshDatabase();
    const args = [...database.args, '--app.persistence.migrate-at-start=false'];

    const refused = await runService({ args });
    const { lines } = await migrate(['status'], database);
    await migrate(['up'], database);
    const service = await start(args);

    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain('Migrations are pending, and this startup does not run them');
    expect(refused.stderr).toMatch(/dist\/cli\.js .*migrate up"/);
    expect(refused.stderr).toContain(NEWEST);
    expect(lines.every((line) => line.startsWith('pending'))).toBe(true);
    expect((await fetch(`${service.url}/`)).status).toBe(200);
  });

  it('one of two services that start at once migrates, and both start', async () => {
    const database = await engine.freshDatabase();

    // The seal key is beside the database file, or else in the working folder.
    const cwd = temporaryFolder('replicas');

    const services = await Promise.all([start(database.args, { cwd }), start(database.args, { cwd })]);

    // Both write at once, so that one may wait for the lock of the file.
    const usual = engine.name === 'SQLite' ? /rule 2|^WARN A unit of work succeeded after a retry / : /rule 2/;
    expect(services.map(({ troubles }) => troubles.filter((line) => !usual.test(line)))).toEqual([[], []]);
    expect(await database.query('SELECT name FROM migrations ORDER BY id')).toEqual(NAMES.map((name) => ({ name })));
  });
});

describe('profile prod', () => {
  it('migrates the embedded database at startup', async () => {
    const service = await start(['--management.server.port=0'], { env: PROD });

    expect((await fetch(`${service.url}/`)).status).toBe(200);
  });
});

needs('mariadb')('accounts of a database server', () => {
  interface Accounts {
    readonly database: FreshDatabase;
    /** Arguments for an account that may read and change rows only. */
    readonly restricted: readonly string[];
    /** Arguments for an account that may change tables. */
    readonly migration: readonly string[];
  }

  async function accounts(): Promise<Accounts> {
    const database = await freshMariadbDatabase();
    const { url, username, password, server } = database;
    const [name, secret] = [`app_${randomBytes(6).toString('hex')}`, randomBytes(12).toString('hex')];
    const connection = await createConnection({ ...server });
    await connection.query(`CREATE USER '${name}'@'${server.host}' IDENTIFIED BY '${secret}'`);
    await connection.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${username}.* TO '${name}'@'${server.host}'`);
    await connection.end();
    const restricted = [
      `--app.datasource.url=${url}`,
      `--app.datasource.username=${name}`,
      `--app.datasource.password=${secret}`,
      '--app.datasource.pool.connection-timeout=20000',
    ];
    const migration = [
      `--app.datasource.migration.username=${username}`,
      `--app.datasource.migration.password=${password}`,
    ];
    return { database, restricted, migration };
  }

  it('the migration account migrates, and the service runs and creates users with rights on rows only', async () => {
    const { restricted, migration } = await accounts();

    const up = await runCli(['migrate', 'up', ...restricted, ...migration]);
    const service = await start([
      ...restricted,
      '--app.persistence.migrate-at-start=false',
      '--app.jpa.orm.ddl-auto=validate',
    ]);
    const created = await runCli(['users', 'add', 'anna', ...restricted], { cwd: service.cwd });
    const status = await runCli(['migrate', 'status', ...restricted]);

    expect(up.exitCode, up.stderr).toBe(0);
    expect((await fetch(`${service.url}/actuator/health/readiness`)).status).toBe(200);
    expect(created.exitCode, created.stderr).toBe(0);
    expect(status.stdout).toContain(`applied  ${NEWEST}`);
  });

  it('a startup that migrates uses the migration account', async () => {
    const { restricted, migration } = await accounts();

    const service = await start([...restricted, ...migration]);

    expect((await fetch(`${service.url}/actuator/health/readiness`)).status).toBe(200);
  });

  it('an account that may not change tables prevents startup with the grants that it needs', async () => {
    const { restricted } = await accounts();

    const { exitCode, stderr } = await runService({ args: restricted });
    const up = await runCli(['migrate', 'up', ...restricted]);

    expect(exitCode).toBe(1);
    expect(stderr).toContain('The database account may not change tables');
    expect(stderr).toMatch(/Property: +app\.datasource\.username\n/);
    expect(stderr).toContain('Grant it CREATE, ALTER, DROP and INDEX');
    expect(up.exitCode).toBe(1);
    expect(up.stderr).toContain('The database account may not change tables');
  });

  it('a wrong password of the migration account prevents startup, and the report names its key only', async () => {
    const { database, restricted } = await accounts();

    const { exitCode, stderr } = await runService({
      args: [
        ...restricted,
        `--app.datasource.migration.username=${database.username}`,
        '--app.datasource.migration.password=wrong-password',
      ],
    });

    expect(exitCode).toBe(1);
    expect(stderr).toContain('The migration account cannot open the database');
    expect(stderr).toMatch(/Property: +app\.datasource\.migration\.username\n/);
    expect(stderr).not.toContain('wrong-password');
  });

  it('with profile prod, startup does not migrate a server unless the key says so', async () => {
    const { database } = await accounts();
    const { url, username, password } = database;
    const env = { ...PROD, DB_URL: url, DB_USERNAME: username, DB_PASSWORD: password };

    const refused = await runService({ isAlone: true, env });
    const service = await start(['--management.server.port=0', '--app.persistence.migrate-at-start=true'], { env });

    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain('Migrations are pending');
    expect((await fetch(`${service.url}/`)).status).toBe(200);
  });
});
