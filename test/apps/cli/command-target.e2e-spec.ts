import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { MovedClock } from '../../support/programs/moved-clock.js';
import { type RunningService, runCli, runService, startService } from '../../support/programs/service.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';

const READING: readonly (readonly string[])[] = [
  ['users', 'list'],
  ['users', 'show', 'anna'],
  ['users', 'sessions', 'anna'],
  ['users', 'export', 'anna'],
  ['keys', 'list'],
  ['events', 'search'],
  ['events', 'report'],
  ['events', 'verify'],
  ['events', 'export'],
  ['events', 'webhook', 'list'],
  ['mail', 'list'],
  ['migrate', 'status'],
  ['backup', 'backup.jsonl'],
];

describe('the database that a command works on', () => {
  const services: RunningService[] = [];

  afterEach(async () => {
    await Promise.all(services.splice(0).map((service) => service.release()));
  });

  async function started(cwd: string): Promise<RunningService> {
    const service = await startService({ cwd });
    services.push(service);
    return service;
  }

  it.each(READING.map((args) => [args.join(' '), args] as const))(
    'T2: %s creates no database and no key where there is none, and says where it looked',
    async (_, args) => {
      const { exitCode, stdout, stderr, cwd } = await runCli(args);

      expect([exitCode, stdout]).toEqual([3, '']);
      expect(stderr).toContain(`There is no database at ${join(cwd, 'data/login.db')}`);
      expect(readdirSync(cwd)).toEqual([]);
    },
  );

  it('T2: a command that changes an account creates no database either', async () => {
    const { exitCode, cwd } = await runCli(['users', 'unlock', 'anna']);

    expect([exitCode, readdirSync(cwd)]).toEqual([3, []]);
  });

  it('T2: the first users can be created before the first start', async () => {
    const { exitCode, cwd, stderr } = await runCli(['users', 'add', 'anna']);

    expect(exitCode, stderr).toBe(0);
    expect(existsSync(join(cwd, 'data/login.db'))).toBe(true);
  });

  it('T2: reading commands neither rotate nor create signing keys', async () => {
    const service = await started(temporaryFolder('keys'));
    await service.stop();
    const database = new DatabaseSync(join(service.cwd, 'data/login.db'));
    const keys = (): unknown[] => database.prepare('SELECT * FROM signing_key ORDER BY 1').all();
    const before = keys();
    const clock = new MovedClock();
    clock.advance(400 * 86_400);

    for (const args of READING) {
      await runCli(args, { cwd: service.cwd, nodeArguments: clock.nodeArguments });
      expect(keys(), args.join(' ')).toEqual(before);
    }
    database.prepare('DELETE FROM signing_key').run();
    for (const args of READING) {
      await runCli(args, { cwd: service.cwd });
      expect(keys(), args.join(' ')).toEqual([]);
    }
    database.close();
  });

  it('T2: a reading command creates no seal key in place of a lost one', async () => {
    const service = await started(temporaryFolder('seal'));
    await service.stop();
    const file = join(service.cwd, 'data/seal.key');
    await promisify(execFile)('rm', [file]);

    const { exitCode, stderr } = await runCli(['keys', 'list'], { cwd: service.cwd });

    expect(exitCode).toBe(3);
    expect(stderr).toContain(`The seal key in ${file} cannot be used`);
    expect(existsSync(file)).toBe(false);
  });

  it('T2: a command runs no pending migration of a database that it only reads', async () => {
    const cwd = temporaryFolder('behind');
    await runService({ cwd, args: ['--app.persistence.migrate-at-start=false'] });

    const { exitCode, stderr } = await runCli(['users', 'list'], { cwd });

    expect(exitCode).toBe(3);
    expect(stderr).toContain('Migrations are pending, and this command does not run them');
  });

  it.each([
    [['users', 'list'], {}, 'Profiles: none.'],
    [['migrate', 'status'], { APP_PROFILES_ACTIVE: 'dev' }, 'Profiles: dev.'],
    [['config', 'get', 'server.port'], {}, 'Profiles: none.'],
  ])(
    'T2: %j says once, on standard error, which database, folder and profiles it works on',
    async (args, env, profiles) => {
      const { cwd } = await started(temporaryFolder('told'));

      const { target, stderr, stdout } = await runCli(args, { cwd, env });

      expect(target).toBe(`Database: ${join(cwd, 'data/login.db')}. Folder: ${cwd}. ${profiles}\n`);
      expect(stdout + stderr).not.toContain('Database:');
    },
  );

  it('T2: the account and password of a database server are not part of that line', async () => {
    const url = 'jdbc:mariadb://login:sesame-1@127.0.0.1:9/login?password=sesame-2&user=root';

    const { target, stderr } = await runCli(['users', 'list', `--app.datasource.url=${url}`]);

    expect(target).toContain('Database: mariadb://127.0.0.1:9/login.');
    expect(target + stderr).not.toContain('sesame');
  });

  it('T2: the command in the report of pending migrations works from any folder, on the database of the service', async () => {
    const cwd = temporaryFolder('pending');
    const env = { APP_PERSISTENCE_MIGRATE_AT_START: 'false' };
    const refused = await runService({ cwd, env });

    const [, command = ''] = /Run "(.+ migrate up)"/.exec(refused.stderr) ?? [];
    const { stdout } = await promisify(execFile)('sh', ['-c', command], { cwd: '/', env });

    expect(stdout).toMatch(/^Applied /);
    const service = await startService({ cwd, env });
    services.push(service);
    expect((await fetch(`${service.url}/`)).status).toBe(200);
  });

  it('T2: migrate up creates no embedded database unless it is told to', async () => {
    const cwd = temporaryFolder('new');

    const refused = await runCli(['migrate', 'up'], { cwd });
    expect([refused.exitCode, readdirSync(cwd)]).toEqual([3, []]);
    expect(refused.stderr).toContain(`There is no database at ${join(cwd, 'data/login.db')}`);

    const told = await runCli(['migrate', 'up', '--create'], { cwd });
    expect(told.exitCode, told.stderr).toBe(0);
    expect(existsSync(join(cwd, 'data/login.db'))).toBe(true);
  });

  /** The output of the command in a report of pending migrations, which runs in another folder without the environment of the service. */
  async function pasted(report: string): Promise<string> {
    const [, command = ''] = /Run "(.+ migrate up)"/.exec(report) ?? [];
    const { stdout } = await promisify(execFile)('sh', ['-c', command], { cwd: '/', env: {} });
    return stdout;
  }

  it.each<readonly [string, (url: string) => { args?: readonly string[]; env?: Record<string, string> }]>([
    ['an argument', (url) => ({ args: [`--app.datasource.url=${url}`] })],
    ['a system property', (url) => ({ args: [`-Dapp.datasource.url=${url}`] })],
    ['a variable', (url) => ({ env: { APP_DATASOURCE_URL: url } })],
    [
      'a variable in a placeholder',
      (url) => ({ args: ['--app.datasource.url=jdbc:${MY_PLACE}'], env: { MY_PLACE: url.replace('jdbc:', '') } }),
    ],
    ['a variable with the name of a key', (url) => ({ env: { 'app.datasource.url': url } })],
  ])('T2: the command in the report of pending migrations migrates the database of %s', async (_, given) => {
    const cwd = temporaryFolder('install');
    const file = join(temporaryFolder("it's elsewhere"), 'login.db');
    const { args = [], env } = given(`jdbc:sqlite:${file}`);
    const refused = await runService({
      cwd,
      args: [...args, '--app.persistence.migrate-at-start=false'],
      ...(env && { env }),
    });

    expect(await pasted(refused.stderr)).toMatch(/^Applied /);
    expect(existsSync(join(cwd, 'data'))).toBe(false);
    const database = new DatabaseSync(file);
    expect(database.prepare('SELECT COUNT(*) AS count FROM account').get()).toEqual({ count: 0 });
    database.close();
  });

  it('T2: the command in the report of pending migrations shows no secret, and the report names what it lacks', async () => {
    const cwd = temporaryFolder('secret');
    const { stderr } = await runService({
      cwd,
      args: [
        ...['--app.persistence.migrate-at-start=false', '--app.datasource.password=sesame-1'],
        ...['--app.branding.help-url=https://anna:sesame-2@help.example/'],
      ],
      env: {
        APP_MAIL_USERNAME: 'login',
        APP_MAIL_PASSWORD: 'sesame-3',
        MY_TOKEN: 'sesame-4',
        APP_SECURITY_MFA_ISSUER: '${MY_TOKEN}',
      },
    });

    expect(stderr).not.toContain('sesame');
    expect(stderr).toContain(
      'add what it needs of --app.datasource.password, --app.branding.help-url, APP_MAIL_PASSWORD, MY_TOKEN:',
    );
  });
});
