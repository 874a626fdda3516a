import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { freshMariadbDatabase } from '../../support/database/fresh-database.js';
import { needs } from '../../support/runner/needs.js';
import { PROD } from '../../support/programs/prod.js';
import {
  type RunningService,
  runCli,
  runService,
  type ServiceOptions,
  startService,
} from '../../support/programs/service.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';
import { waitUntil } from '../../support/runner/wait-until.js';

/** The health response for unauthenticated callers. */
const UP = { status: 'UP', groups: ['liveness', 'readiness'] };

let running: RunningService | undefined;

afterEach(async () => {
  await running?.release();
  running = undefined;
});

async function start(options: ServiceOptions = {}): Promise<RunningService> {
  running = await startService({ ...options, isAlone: true });
  return running;
}

describe('startup without configuration', () => {
  it('redirects to the sign-in page and serves health from a database that only its own user may read', async () => {
    const service = await start();

    const page = await fetch(`${service.url}/`);
    const health = await fetch(`${service.url}/actuator/health`);

    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html;charset=UTF-8');
    expect(page.url).toBe(`${service.url}/portal/login`);
    expect(await page.text()).toContain('<h1>Sign in</h1>');
    expect(health.status).toBe(200);
    expect(await health.json()).toEqual(UP);
    expect(statSync(join(service.cwd, 'data')).mode & 0o777).toBe(0o700);
    expect(statSync(join(service.cwd, 'data', 'login.db')).mode & 0o777).toBe(0o600);
  });

  it('exits with code 0 on shutdown and starts again on the same database', async () => {
    const first = await start();
    const exitCode = await first.stop();

    const second = await start({ cwd: first.cwd });

    expect(exitCode).toBe(0);
    expect((await fetch(`${second.url}/`)).status).toBe(200);
  });

  it('shutdown does not wait for a client that never finishes its request', async () => {
    const service = await start({ args: ['--app.lifecycle.timeout-per-shutdown-phase=100ms'] });
    const { hostname, port } = new URL(service.url);
    const client = connect(Number(port), hostname);
    await once(client, 'connect');
    const cutOff = once(client.resume(), 'close');
    client.on('error', () => undefined).write('POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf');
    // Ensures that the service has the unfinished request before the signal.
    await fetch(service.url);

    expect(await service.stop()).toBe(0);
    await cutOff;
  });

  it('startup logs no warnings or errors', async () => {
    const service = await start({ env: { TZ: 'UTC' } });

    expect([service.stderr, service.troubles]).toEqual(['', []]);
  });
});

describe('the first startup', () => {
  it('creates the user admin and a seal key, and prints the password only once', async () => {
    const first = await start();
    const line = await waitUntil(
      'the initial administrator is printed',
      () => /^First user: .*$/m.exec(first.stdout)?.[0],
    );
    const [, pw] = /^First user: admin with password (\S+) \(shown this once\)$/.exec(line) ?? [];

    const answer = await fetch(`${first.url}/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: 'admin', pw }),
    });
    await first.stop();
    const second = await start({ cwd: first.cwd });
    await second.stop();

    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ mfa_required: true, enrolment_required: true });
    expect(statSync(join(first.cwd, 'data', 'seal.key')).mode & 0o777).toBe(0o600);
    expect(second.stdout).not.toContain('First user');
  });

  it('creates neither a user nor a seal key with profile prod', async () => {
    const { cwd } = await start({ env: PROD, args: ['--management.server.port=0'] });

    const { exitCode, stdout } = await runCli(['users', 'add', 'admin', '--roles', 'ROLE_ADMIN'], { cwd, env: PROD });

    expect(stdout).toContain('Created user admin.');
    expect(exitCode).toBe(0);
    expect(readdirSync(cwd).filter((name) => name !== 'logs' && !name.startsWith('prod.db'))).toEqual([]);
  });
});

it('C5: the first line of a startup names version, ports, database, folder and profiles', async () => {
  const service = await start({ args: ['--management.server.port=-1'], env: { APP_PROFILES_ACTIVE: 'dev' } });

  const database = join(service.cwd, 'data/login.db');
  expect(service.log[0]).toMatch(/^INFO Starting version \d+\.\d+\.\d+ on Node \d+\.\d+\.\d+\. /);
  expect(service.log[0]).toContain(`Port: 0. Database: ${database}. Folder: ${service.cwd}. Profiles: dev.`);
});

it('C5: warnings of Node and the console output of libraries are lines of the log, also those before it is open', async () => {
  const output = "process.emitWarning('of a library', 'DeprecationWarning'); console.error('an error %d', 7)";
  const listener = `event === 'warning' && setImmediate(() => { ${output}; })`;
  const preload = `data:text/javascript,process.on('newListener', (event) => ${listener})`;

  const service = await start({ nodeArguments: ['--import', preload] });

  expect(service.troubles).toContain('WARN DeprecationWarning: of a library');
  expect(service.troubles).toContain('ERROR an error 7');
  expect(service.stderr).toBe('');
});

it('--help prints the usage instead of starting the service', async () => {
  const { exitCode, stdout } = await runService({ isAlone: true, args: ['--help'] });

  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^usage: /);
});

describe('management endpoints after startup', () => {
  it('management.endpoints.web.base-path moves the management endpoints', async () => {
    const { url } = await start({ args: ['-Dmanagement.endpoints.web.base-path=/ops/'] });

    expect(await (await fetch(`${url}/ops/health`)).json()).toEqual(UP);
    expect((await fetch(`${url}/ops/health/`)).status).toBe(200);
    expect((await fetch(`${url}/actuator/health`)).status).toBe(404);
  });

  it('management endpoints return 404 when they are not exposed', async () => {
    const { url } = await start({ env: { MANAGEMENT_ENDPOINTS_WEB_EXPOSURE_INCLUDE: 'info' } });

    expect((await fetch(`${url}/actuator/health`)).status).toBe(404);
  });

  it('management endpoints return 404 when they are excluded', async () => {
    const { url } = await start({ args: ['--management.endpoints.web.exposure.exclude=*'] });

    expect((await fetch(`${url}/actuator/health`)).status).toBe(404);
  });

  it('a negative management port disables the management endpoints', async () => {
    const service = await start({ args: ['--management.server.port=-1'] });

    expect((await fetch(`${service.url}/actuator/health`)).status).toBe(404);
    expect(service.stdout).not.toMatch(/management/i);
  });

  it('management endpoints bind to management.server.address', async () => {
    const { managementUrl } = await start({
      args: ['--management.server.port=0', '--management.server.address=127.0.0.2'],
    });

    expect(managementUrl).toContain('http://127.0.0.2:');
    expect((await fetch(`${managementUrl ?? ''}/health`)).status).toBe(200);
  });

  it('a management port moves the endpoints to a separate listener', async () => {
    const { url, managementUrl } = await start({ args: ['--management.server.port=0'] });

    expect(managementUrl).toMatch(/\/actuator$/);
    expect(await (await fetch(`${managementUrl ?? ''}/health`)).json()).toEqual(UP);
    expect((await fetch(`${url}/actuator/health`)).status).toBe(404);
    expect((await fetch(new URL('/', managementUrl))).status).toBe(404);
  });
});

describe('profile prod', () => {
  it('profile prod prevents startup without its variables and names each of them', async () => {
    const { exitCode, stderr, cwd } = await runService({
      isAlone: true,
      env: { APP_PROFILES_ACTIVE: 'prod', TZ: 'UTC' },
    });

    expect(exitCode).toBe(1);
    expect(stderr).toContain('6 problems:');
    for (const name of Object.keys(PROD).filter((key) => key !== 'APP_PROFILES_ACTIVE' && key !== 'TZ')) {
      expect(stderr).toContain(`nothing sets ${name}`);
    }
    expect(existsSync(join(cwd, 'data'))).toBe(false);
  });

  it('profile prod starts with its variables and serves management on a separate port', async () => {
    const service = await start({ env: PROD, args: ['--management.server.port=0'] });

    expect((await fetch(`${service.managementUrl ?? ''}/health`)).status).toBe(200);
    expect([service.stderr, service.troubles]).toEqual(['', []]);
  });

  it('a public URL without https prevents startup, and the error names its origin', async () => {
    const { exitCode, stderr } = await runService({
      isAlone: true,
      env: { ...PROD, PUBLIC_URL: 'http://login.example.com' },
    });

    expect(exitCode).toBe(1);
    expect(stderr).toContain('Production has a public URL without https');
    expect(stderr).toMatch(/Value: +"http:\/\/login\.example\.com"\n +Origin: +class path resource \[application-pro/);
  });

  it('a database sealed with another key prevents startup, and the error names the id of the key', async () => {
    const service = await start({ env: PROD, args: ['--management.server.port=0'] });
    await service.stop();

    const { exitCode, stderr } = await runService({
      isAlone: true,
      env: { ...PROD, SEAL_KEY: '3ZVUaFtOgFKBzrpvl5tzm0lAGsyN5fg2KgrmwHMFqM4=' },
      args: ['--management.server.port=0'],
      cwd: service.cwd,
    });

    expect(exitCode).toBe(1);
    expect(stderr).toContain('The key that signs tokens cannot be opened');
    expect(stderr).toContain('Set app.security.seal.keys.main to the key of that id.');
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it('a broken configuration rule prevents startup in profile prod and is only logged in others', async () => {
    const args = ['--management.endpoints.web.exposure.include=health,env', '--management.server.port=0'];

    const inProd = await runService({ isAlone: true, env: PROD, args });
    const elsewhere = await start({ env: { TZ: 'UTC' }, args });

    expect(inProd.exitCode).toBe(1);
    expect(inProd.stderr).toMatch(
      /Configuration rule 7 is broken: env can .*\n +Property: management\.endpoints\.web\.exposure\.include\n/,
    );
    expect(elsewhere.troubles).toContainEqual(expect.stringMatching(/^WARN Configuration rule 7: /));
  });
});

describe('failed startup', () => {
  it('one report lists all problems without a stack trace, and no database is created', async () => {
    const cwd = temporaryFolder('broken');
    writeFileSync(join(cwd, 'application.yml'), 'server:\n  shutdown: gracefull\n  prot: 1\n');

    const { exitCode, stdout, stderr } = await runService({
      isAlone: true,
      cwd,
      env: { APP_LIFECYCLE_TIMEOUTPERSHUTDOWNPHASE: '20 s' },
      args: ['--mapper.mapper-location=x'],
    });

    expect(exitCode).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain('APPLICATION FAILED TO START');
    expect(stderr).toContain('4 problems');
    expect(stderr).toContain('file [application.yml] - 2:13');
    expect(stderr).toContain('Did you mean server.port?');
    expect(stderr).toContain('Did you mean mapper.mapper-locations?');
    expect(stderr).toContain('System Environment Property "APP_LIFECYCLE_TIMEOUTPERSHUTDOWNPHASE"');
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(existsSync(join(cwd, 'data'))).toBe(false);
  });

  it.each<readonly [string, ServiceOptions & { readonly yml?: string }, string]>([
    ['broken YAML', { yml: 'server:\n  port: "1\n' }, 'file [application.yml] - 3:1'],
    ['an unknown profile', { env: { APP_PROFILES_ACTIVE: 'prd' } }, 'The active profile "prd" is unknown'],
    ['circular placeholders', { yml: 'info.a: ${info.b}\ninfo.b: ${info.a}\n' }, 'circular: '],
    ['a missing import', { yml: 'app.config.import: gone.yml\n' }, 'The location gone.yml does not exist'],
    [
      'gaps in lists of two sources',
      {
        yml: 'app.config.import[1]: a.yml\nmanagement.endpoints.web.exposure.include[2]: info\n',
        args: ['--management.endpoints.web.exposure.include[1]=x'],
      },
      'left unbound: management.endpoints.web.exposure.include[0] is missing in commandLineArgs',
    ],
    ['an invalid base path', { args: ['--management.endpoints.web.base-path=/*'] }, 'base-path'],
    ['an unsupported database', { args: ['--app.datasource.url=jdbc:oracle:thin:@h'] }, 'supported are jdbc:sqlite'],
  ])('startup reports %s without a stack trace and creates no database', async (_, { yml, ...options }, expected) => {
    const cwd = temporaryFolder('broken');
    if (yml !== undefined) writeFileSync(join(cwd, 'application.yml'), yml);

    const { exitCode, stdout, stderr } = await runService({ ...options, cwd, isAlone: true });

    expect(exitCode).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain('APPLICATION FAILED TO START');
    expect(stderr).toContain(expected);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(existsSync(join(cwd, 'data'))).toBe(false);
  });

  it.each([
    [
      'management endpoints open to users',
      '--management.security.enabled=false',
      'The management endpoints would be open to all users',
    ],
    [
      'a base path of a user route',
      '--management.endpoints.web.base-path=/me',
      'The page of links to the management endpoints has the path of another route',
    ],
    ['a password without a user name', '--management.security.password=x', 'management.security.user is not set'],
  ])('startup reports %s without a stack trace', async (_, argument, expected) => {
    const { exitCode, stderr } = await runService({ isAlone: true, args: [argument] });

    expect(exitCode).toBe(1);
    expect(stderr).toContain('APPLICATION FAILED TO START');
    expect(stderr).toContain(expected);
    expect(stderr).toContain(argument.replace(/^--|=.*/g, ''));
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it('the error for a port in use names the port and its key', async () => {
    const taken = await listen();
    const { port } = taken.address() as { port: number };

    const { exitCode, stderr } = await runService({
      isAlone: true,
      args: [`--server.port=${port}`, '--server.address=127.0.0.1'],
    });
    taken.close();

    expect(exitCode).toBe(1);
    expect(stderr).toContain(`Port ${port} is already in use`);
    expect(stderr).toContain('"server.port" from property source "commandLineArgs"');
  });

  it('a management port in use prevents startup', async () => {
    const taken = await listen();
    const { port } = taken.address() as { port: number };

    const { exitCode, stderr, stdout } = await runService({
      isAlone: true,
      args: [`--management.server.port=${port}`, '--server.address=127.0.0.1'],
    });
    taken.close();

    expect(exitCode).toBe(1);
    expect(stdout).not.toContain('ready');
    expect(stderr).toContain('management.server.port');
  });

  it('the error for an unreachable database names the URL and its origin, but no password', async () => {
    const { exitCode, stderr } = await runService({
      isAlone: true,
      args: ['--app.datasource.url=jdbc:mariadb://root:hunter2@127.0.0.1:1/login', '-Dapp.datasource.password=hunter3'],
    });

    expect(exitCode).toBe(1);
    expect(stderr).toContain('jdbc:mariadb://******@127.0.0.1:1/login');
    expect(stderr).toContain('"app.datasource.url" from property source "commandLineArgs"');
    expect(stderr).not.toMatch(/hunter|^\s+at /m);
  });
});

needs('mariadb')('startup on MariaDB', () => {
  it('the service starts with URL, username and password from the environment', async () => {
    const { url, username, password } = await freshMariadbDatabase();
    const env = { ...PROD, DB_URL: url, DB_USERNAME: username, DB_PASSWORD: password };
    await runCli(['migrate', 'up'], { env });

    const service = await start({ env, args: ['--management.server.port=0'] });

    expect((await fetch(`${service.url}/`)).status).toBe(200);
    expect(existsSync(join(service.cwd, 'data'))).toBe(false);
  });

  it('a wrong database password prevents startup, and the error does not contain it', async () => {
    const { url, username } = await freshMariadbDatabase();

    const { exitCode, stderr } = await runService({
      isAlone: true,
      env: { ...PROD, DB_URL: url, DB_USERNAME: username, DB_PASSWORD: 'wrong-password' },
    });

    expect(exitCode).toBe(1);
    expect(stderr).toContain('the server refuses the account or its password');
    expect(stderr).not.toContain('wrong-password');
  });
});

function listen(): Promise<Server> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      resolve(server);
    });
  });
}
