import { randomBytes } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { createConnection } from 'mysql2/promise';
import { afterEach, expect, it } from 'vitest';
import '../../../../src/apps/schema/history.js';
import { HISTORY } from '../../../../src/platform/persistence/migrations/history.js';
import { freePort } from '../../../support/programs/free-port.js';
import { type FreshDatabase, freshMariadbDatabase } from '../../../support/database/fresh-database.js';
import { needs } from '../../../support/runner/needs.js';
import { SEAL_ARGS } from '../../../support/programs/restored-service.js';
import {
  type Ended,
  type RunningService,
  runCli,
  runService,
  startService,
} from '../../../support/programs/service.js';
import { type Engine, onEachEngine, type StoryDatabase } from '../../../support/database/story-database.js';

const NAMES = HISTORY.map(({ migration }) => migration.name);
const NEWEST = NAMES.at(-1) ?? '';
/** A migration that no version before it survives. */
const BREAKING = 'SeveralAuthenticators1796700000001';
const FROM_BREAKING = NAMES.slice(NAMES.indexOf(BREAKING));
const IN_USE = 'Other sessions use the database';
const BREAKS = 'versions that run now stop working';

/** Ends what the test has opened, the latest first. */
const opened: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of opened.splice(0).toReversed()) await end();
});

function migrate(command: readonly string[], args: readonly string[]): Promise<Ended> {
  return runCli(['migrate', ...command, ...args]);
}

/** A database as the last version before the breaking migration has left it. */
async function olderDatabase({ freshDatabase }: Pick<Engine, 'freshDatabase'>): Promise<StoryDatabase> {
  const database = await freshDatabase();
  await migrate(['up', '--create'], database.args);
  await revertBeforeBreaking(database.args);
  return database;
}

async function revertBeforeBreaking(args: readonly string[]): Promise<void> {
  for (const name of FROM_BREAKING.toReversed()) {
    const { stdout, stderr } = await migrate(['down', '--force'], args);
    expect(stdout, stderr).toBe(`Reverted ${name}.\n`);
  }
}

/** A session as that of a running service; returns how it ends. */
async function session({ args }: StoryDatabase): Promise<() => Promise<void>> {
  const file = /=jdbc:sqlite:(.*)$/.exec(args[0] ?? '')?.[1];
  if (file === undefined) return serverSession(args);
  const database = new DatabaseSync(file);
  database.prepare('SELECT 1 FROM account').all();
  const end = (): Promise<void> => {
    if (database.isOpen) database.close();
    return Promise.resolve();
  };
  opened.push(end);
  return end;
}

async function serverSession(args: readonly string[]): Promise<() => Promise<void>> {
  const valueOf = (key: string): string =>
    args.find((argument) => argument.startsWith(`--app.datasource.${key}=`))?.split('=', 2)[1] ?? '';
  const { hostname, port, pathname } = new URL(valueOf('url').replace('jdbc:', ''));
  const connection = await createConnection({
    host: hostname,
    port: Number(port),
    database: pathname.slice(1),
    user: valueOf('username'),
    password: valueOf('password'),
  });
  let hasEnded = false;
  const end = async (): Promise<void> => {
    if (!hasEnded) await connection.end();
    hasEnded = true;
  };
  opened.push(end);
  return end;
}

onEachEngine('migrations that running versions do not survive', (engine) => {
  it('D2: migrate status names such migrations, and those that running versions survive', async () => {
    const database = await olderDatabase(engine);
    await migrate(['down'], database.args);

    const { stdout, exitCode } = await migrate(['status'], database.args);

    const lines = stdout.split('\n').filter((line) => line.startsWith('pending'));
    expect(exitCode).toBe(0);
    expect(lines[0]).toMatch(/^pending {2}PasswordFailures\d+, running versions continue to work$/);
    expect(lines.slice(1)).toEqual(FROM_BREAKING.map((name) => `pending  ${name}, ${BREAKS}`));
  });

  it('D2: migrate up refuses such migrations while another session uses the database, unless told', async () => {
    const database = await olderDatabase(engine);
    await session(database);

    const refused = await migrate(['up'], database.args);
    const { stdout: status } = await migrate(['status'], database.args);
    const told = await migrate(['up', '--while-in-use'], database.args);

    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toContain(IN_USE);
    expect(refused.stderr).toContain(BREAKING);
    expect(refused.stderr).toContain('--while-in-use');
    expect(status).toContain(`pending  ${BREAKING}`);
    expect(told.exitCode, told.stderr).toBe(0);
    expect(told.stdout.split('\n').slice(0, -1)).toEqual(FROM_BREAKING.map((name) => `Applied ${name}: ${BREAKS}.`));
  });

  it('D2: migrate up runs such migrations once the other session has ended', async () => {
    const database = await olderDatabase(engine);
    const end = await session(database);
    await end();

    const { exitCode, stderr } = await migrate(['up'], database.args);

    expect(exitCode, stderr).toBe(0);
  });

  it('D2: migrate up runs other migrations while a service uses the database', async () => {
    const database = await engine.freshDatabase();
    await migrate(['up', '--create'], database.args);
    await migrate(['down'], database.args);
    await session(database);

    const { exitCode, stdout, stderr } = await migrate(['up'], database.args);

    expect(exitCode, stderr).toBe(0);
    expect(stdout).toBe(`Applied ${NEWEST}.\n`);
  });

  it('D2: a startup that migrates refuses such migrations, too, and starts once the other session has ended', async () => {
    const database = await olderDatabase(engine);
    const end = await session(database);

    const refused = await runService({ args: database.args });
    await end();
    const service: RunningService = await startService({ args: database.args });
    opened.push(() => service.release());

    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain(IN_USE);
    expect(refused.stderr).toContain(BREAKING);
    expect(refused.stderr).not.toMatch(/^\s+at /m);
    expect((await fetch(`${service.url}/actuator/health/readiness`)).status).toBe(200);
  });

  it('D2: migrate down refuses while a service uses the database, unless told', async () => {
    const database = await engine.freshDatabase();
    const service = await startService({ args: database.args });
    opened.push(() => service.release());

    const refused = await migrate(['down'], database.args);
    const told = await migrate(['down', '--while-in-use'], database.args);

    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toContain(IN_USE);
    expect(told.stdout, told.stderr).toBe(`Reverted ${NEWEST}.\n`);
  });
});

needs('mariadb')('sessions of the processes that change the tables', () => {
  const argumentsFor = ({ url, username, password }: FreshDatabase): readonly string[] => [
    `--app.datasource.url=${url}`,
    `--app.datasource.username=${username}`,
    `--app.datasource.password=${password}`,
  ];

  it('D2: one of four replicas that start at once migrates, and all start', async () => {
    const args = argumentsFor(await freshMariadbDatabase());
    await migrate(['up'], args);
    await revertBeforeBreaking(args);

    const starts = [1, 2, 3, 4].map(() => startService({ args: [...args, ...SEAL_ARGS], isAlone: true }));
    const replicas = await Promise.all(starts);
    for (const replica of replicas) opened.push(() => replica.release());

    const migrated = replicas.filter(({ stdout }) => stdout.includes('Migrated the tables'));
    expect(migrated).toHaveLength(1);
  });

  it('D2: two hosts of the URL that are one server show no session of the process itself', async () => {
    const database = await freshMariadbDatabase();
    const [args, { port }] = [argumentsFor(database), database.server];
    const twoNames = args.map((argument) => argument.replace(`:${port}/`, `:${port},127.0.0.1:${port}/`));
    await migrate(['up'], twoNames);

    const alone = await migrate(['down'], twoNames);
    await serverSession(args);
    const used = await migrate(['down'], twoNames);

    expect(alone.stdout, alone.stderr).toBe(`Reverted ${NEWEST}.\n`);
    expect(used.exitCode).toBe(1);
    expect(used.stderr).toMatch(/Sessions: 1 from 127\.0\.0\.1\./);
  });
});

needs('mariadb')('sessions that the migration account cannot see', () => {
  async function separateAccounts(): Promise<{
    readonly service: readonly string[];
    readonly migration: readonly string[];
    readonly port: number;
  }> {
    const { url, username, password, server } = await freshMariadbDatabase();
    const [name, secret] = [`app_${randomBytes(6).toString('hex')}`, randomBytes(12).toString('hex')];
    const connection = await createConnection({ ...server });
    await connection.query(`CREATE USER '${name}'@'${server.host}' IDENTIFIED BY '${secret}'`);
    await connection.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${username}.* TO '${name}'@'${server.host}'`);
    await connection.end();
    const service = [
      `--app.datasource.url=${url}`,
      `--app.datasource.username=${name}`,
      `--app.datasource.password=${secret}`,
    ];
    const migration = [
      `--app.datasource.migration.username=${username}`,
      `--app.datasource.migration.password=${password}`,
    ];
    return { service, migration, port: server.port };
  }

  it('D2: the sessions of the service are found with its own account', async () => {
    const { service, migration } = await separateAccounts();
    await migrate(['up'], [...service, ...migration]);
    await revertBeforeBreaking([...service, ...migration]);
    await serverSession(service);

    const refused = await migrate(['up'], [...service, ...migration]);

    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toContain(IN_USE);
    expect(refused.stderr).toMatch(/Sessions: 1 from 127\.0\.0\.1/);
  });

  it('D2: a host of the URL that cannot be asked counts as one with sessions', async () => {
    const { service, migration, port } = await separateAccounts();
    await migrate(['up'], [...service, ...migration]);
    await revertBeforeBreaking([...service, ...migration]);
    const dead = await freePort();
    const twoHosts = service.map((argument) => argument.replace(`:${port}/`, `:${port},127.0.0.1:${dead}/`));

    const refused = await migrate(['up'], [...twoHosts, ...migration]);

    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toContain(`127.0.0.1:${dead} was not asked (ECONNREFUSED)`);
  });
});
