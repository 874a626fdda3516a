import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { request } from '../../support/events/broker.js';
import { startManaged } from '../../support/management/management.js';
import { MovedClock } from '../../support/programs/moved-clock.js';
import { runService, type RunningService, startService } from '../../support/programs/service.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';
import { waitUntil } from '../../support/runner/wait-until.js';

const DAY = 24 * 3600;
const NAME = 'service.log';
/** The log message at the end of every startup. */
const READY = 'Login service is ready: http';

const started: RunningService[] = [];

async function start(options: Parameters<typeof startService>[0] = {}): Promise<RunningService> {
  const service = await startService(options);
  started.push(service);
  return service;
}

afterEach(async () => {
  await Promise.all(started.splice(0).map((service) => service.release()));
});

function linesIn(file: string): readonly string[] {
  if (!existsSync(file)) return [];
  const bytes = readFileSync(file);
  return (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString().split('\n').slice(0, -1);
}

function startsIn(file: string): number {
  return linesIn(file).filter((line) => line.includes(READY)).length;
}

/** Runs a service from startup to shutdown. */
async function run(options: Parameters<typeof startService>[0]): Promise<void> {
  const service = await start(options);
  expect(await service.stop()).toBe(0);
}

describe('logging.file', () => {
  it('logging.file.name creates a relative or absolute file with mode 0640', async () => {
    const elsewhere = join(temporaryFolder('elsewhere'), 'a', NAME);
    const [within] = await Promise.all([
      start({ args: [`--logging.file.name=logs/${NAME}`] }),
      start({ args: [`--logging.file.name=${elsewhere}`] }),
    ]);
    const files = [join(within.cwd, 'logs', NAME), elsewhere];

    for (const file of files) {
      await waitUntil(`${file} contains the startup line`, () => startsIn(file) === 1);
      expect(statSync(file).mode & 0o777).toBe(0o640);
    }
  });

  it('logging.file.path sets the folder of login-service.log', async () => {
    const service = await start({ args: ['--logging.file.path=here'] });

    const file = join(service.cwd, 'here', 'login-service.log');
    await waitUntil('the file exists', () => existsSync(file));
    expect(await service.stop()).toBe(0);

    expect(startsIn(file)).toBe(1);
  });

  it('a second start appends to the log file', async () => {
    const cwd = temporaryFolder('restarts');
    for (let count = 0; count < 2; count += 1) await run({ cwd, args: [`--logging.file.name=${NAME}`] });

    expect(startsIn(join(cwd, NAME))).toBe(2);
  });
});

describe('logging.engine.rollingpolicy', () => {
  const POLICY = '--logging.engine.rollingpolicy.';

  it(
    'the log file rolls by size and by day, and max-history and total-size-cap remove archives',
    { timeout: 60_000 },
    async () => {
      const cwd = temporaryFolder('rolling');
      const clock = new MovedClock();
      const today = (): string => new Date(clock.millis).toISOString().slice(0, 10);
      const args = [`--logging.file.name=${NAME}`, `${POLICY}max-file-size=1`, `${POLICY}max-history=1`];
      const options = { cwd, env: { TZ: 'UTC' }, nodeArguments: clock.nodeArguments, args };
      const archivesOf = (day: string): readonly string[] =>
        readdirSync(cwd).filter((name) => name.startsWith(`${NAME}.${day}.`));

      const first = today();
      await run(options);
      await run(options);
      const count = archivesOf(first).length;
      expect(count).toBeGreaterThan(0);

      clock.advance(DAY);
      const second = today();
      const next = await start(options);
      await waitUntil('the log file of the day before is compressed', () =>
        archivesOf(first).every((name) => name.endsWith('.gz')),
      );
      expect(await next.stop()).toBe(0);
      expect(archivesOf(first).length).toBeGreaterThan(count);
      expect(archivesOf(first).reduce((sum, name) => sum + startsIn(join(cwd, name)), 0)).toBe(2);

      clock.advance(DAY);
      const last = await start({ ...options, args: [...args, `${POLICY}total-size-cap=1`] });
      await waitUntil('all archives are gone', () => archivesOf(first).length + archivesOf(second).length === 0);
      expect(await last.stop()).toBe(0);
    },
  );

  it('clean-history-on-start removes old archives in the folder of file-name-pattern', async () => {
    const cwd = temporaryFolder('cleaned');
    const old = temporaryFolder('old');
    writeFileSync(join(old, '20200101-0.log'), 'old\n');
    const service = await start({
      cwd,
      args: [
        `--logging.file.name=${NAME}`,
        `${POLICY}file-name-pattern=${old}/%d{yyyyMMdd}-%i.log`,
        `${POLICY}clean-history-on-start=true`,
      ],
    });

    await waitUntil('the old log file is deleted', () => readdirSync(old).length === 0);

    expect(await service.stop()).toBe(0);
  });
});

describe('R12: log file that cannot be written', () => {
  it('R12: the service runs without a writable log file and reports the cause once', async () => {
    const cwd = temporaryFolder('in-the-way');
    writeFileSync(join(cwd, 'here'), '');
    const service = await start({ cwd, args: [`--logging.file.name=here/${NAME}`] });

    const { status } = await fetch(`${service.url}/actuator/health`);
    expect(await service.stop()).toBe(0);

    expect(status).toBe(200);
    expect(`${service.stdout}${service.stderr}`.split('cannot be written (ENOTDIR: not a directory)')).toHaveLength(2);
  });
});

describe('logging.config', () => {
  it('logging.config configures the log from a file in place of the other keys', async () => {
    const cwd = temporaryFolder('log-config');
    const text = `
appenders:
  console:
    pattern: 'said by %logger: %msg%n'
  file:
    name: from-file.log
    format: ecs
levels:
  auth: warn
  parts: debug
groups:
  parts: [mfa, token]
`;
    writeFileSync(join(cwd, 'logging.yml'), text);
    const args = [
      '--logging.config=file:logging.yml',
      '--logging.file.name=from-key.log',
      '--logging.level.auth=trace',
    ];
    const service = await startManaged({ cwd, args });
    started.push(service);

    await waitUntil('the log file contains the startup line', () => startsIn(join(cwd, 'from-file.log')) === 1);
    const levels = await Promise.all(['auth', 'mfa', 'token'].map((name) => service.operator.get(`/loggers/${name}`)));

    expect(service.stdout).toContain('said by start: Login service is ready');
    expect(linesIn(join(cwd, 'from-file.log')).map((line) => JSON.parse(line) as unknown)).toContainEqual(
      expect.objectContaining({ log: { level: 'INFO', logger: 'start' } }),
    );
    expect(levels.map(({ body }) => body['effectiveLevel'])).toEqual(['WARN', 'DEBUG', 'DEBUG']);
    expect(existsSync(join(cwd, 'from-key.log'))).toBe(false);
    expect(`${service.stdout}${service.stderr}`).toContain(
      'logging.level.auth, logging.file.name: without effect, as logging.config is set',
    );
  });

  it('a mistake in the file of logging.config fails startup with its position', async () => {
    const cwd = temporaryFolder('log-config');
    writeFileSync(join(cwd, 'logging.yml'), 'appenders:\n  file:\n    nam: a.log\n');

    const { exitCode, stderr } = await runService({ cwd, args: ['--logging.config=file:logging.yml'] });

    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/file \[logging\.yml\] - 3:10[\s\S]*Did you mean appenders\.file\.name\?/);
  });
});

describe('end of the process', () => {
  const module = new URL('../../../dist/observability/logging/file/file-appender.js', import.meta.url).href;

  beforeAll(() => request('build'));

  /** Lines in the log file of a process that logs three lines and then runs `ending`. */
  function linesAfter(ending: string): readonly string[] {
    const file = join(temporaryFolder('end'), NAME);
    const script = `
      import { FileAppender } from ${JSON.stringify(module)};
      const log = new FileAppender({
        file: ${JSON.stringify(file)}, format: ({ message }) => message, maxFileBytes: 1000, maxHistory: 0,
        totalSizeCapBytes: 0, cleanHistoryOnStart: false, clock: { millis: () => Date.now() }, warn: () => undefined,
      });
      const say = (level, message) => log.append({ at: Date.now(), level, logger: 'a', message });
      await log.open();
      say('INFO', 'info');
      say('ERROR', 'error');
      say('INFO', 'last');
      ${ending}`;
    spawnSync(process.execPath, ['--input-type=module', '--eval', script]);
    return linesIn(file);
  }

  it.each([
    ['an uncaught error', 'throw new Error();'],
    ['an immediate process.exit', 'process.exit(0);'],
    ['a process.exit while it writes', 'setImmediate(() => process.exit(0));'],
    ['the end of its work', ''],
  ])('a process that ends by %s writes each log line exactly once', (_, ending) => {
    expect(linesAfter(ending)).toEqual(['info', 'error', 'last']);
  });
});
