import { afterEach, expect, it } from 'vitest';
import { needs } from '../../support/runner/needs.js';
import { startRedis } from '../../support/database/redis.js';
import { type RunningService, runCli, runService, startService } from '../../support/programs/service.js';
import { waitUntil } from '../../support/runner/wait-until.js';

let running: RunningService | undefined;

afterEach(async () => {
  await running?.release();
  running = undefined;
});

it('S4: with DEBUG=*, libraries print nothing past the log, and the log says so', async () => {
  running = await startService({ isAlone: true, env: { DEBUG: '*' } });

  await fetch(`${running.url}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id: 'admin', pw: 'a wrong password' }),
  });

  expect(running.stderr).toBe('');
  expect(running.stdout).not.toContain('SELECT');
  expect(running.troubles).toContain('WARN DEBUG has no effect: to see more, set logging.level');
});

it('S4: with DEBUG=*, a command prints no statement', async () => {
  const { exitCode, stderr } = await runCli(['migrate', 'up', '--create'], { env: { DEBUG: '*' } });

  expect(exitCode).toBe(0);
  expect(stderr).not.toMatch(/SELECT|typeorm/);
});

needs('redis')('S4: the password of the key-value store and DEBUG', () => {
  it('S4: with DEBUG=*, the password of the key-value store is not printed', async () => {
    const password = 'a-password-of-the-store';
    const store = await startRedis({ password });
    try {
      running = await startService({
        isAlone: true,
        env: { DEBUG: '*', KV_PASSWORD: password },
        args: [
          '--app.data.kvstore.host=127.0.0.1',
          `--app.data.kvstore.port=${store.port}`,
          '--app.data.kvstore.password=${KV_PASSWORD}',
        ],
      });
      expect(running.stdout + running.stderr).not.toContain(password);
      expect(running.stderr).toBe('');
    } finally {
      await store.stop();
    }
  });
});

it.each([
  ['NODE_OPTIONS in quotes', { env: { NODE_OPTIONS: '"--inspect=0"' } }, "Node's option --inspect is not safe"],
  [
    'an argument with underscores',
    { nodeArguments: ['--heapsnapshot_signal=SIGUSR2'] },
    "Node's option --heapsnapshot-signal is not safe",
  ],
  [
    'a preloaded module',
    { nodeArguments: ['--import', 'data:text/javascript,import inspector from "node:inspector"; inspector.open(0);'] },
    'The inspector of Node is open',
  ],
])('S1: %s that opens the process prevents startup with profile prod', async (_, options, text) => {
  const { exitCode, stderr } = await runService({ ...options, args: ['--app.profiles.active=prod'] });

  expect(exitCode).toBe(1);
  expect(stderr).toContain(text);
});

/** Uses every method of the console that prints, once the service has replaced the console. */
const PRINTS = `
  const { log } = console;
  const timer = setInterval(() => {
    if (console.log === log) return;
    clearInterval(timer);
    console.log('by %s', 'log');
    console.error('by error');
    console.dir({ by: 'dir' });
    console.dirxml('by dirxml');
    console.group('by group');
    console.groupEnd();
    console.groupCollapsed('by groupCollapsed');
    console.groupEnd();
    console.assert(false, 'by assert');
    console.time('by time');
    console.timeLog('by time', 'and timeLog');
    console.timeEnd('by time');
    console.count('by count');
    console.countReset('by countReset');
    console.table([{ by: 'table' }]);
    console.trace('by trace');
  }, 1);`;

it('S4: what libraries print by any method of the console is in the log', async () => {
  running = await startService({ nodeArguments: ['--import', `data:text/javascript,${encodeURIComponent(PRINTS)}`] });
  const service = running;
  await waitUntil('the last text is printed', () => service.stdout.includes('by trace'));

  expect(service.stderr).toBe('');
  const seen = service.log.filter((line) => /\bby\b|table/.test(line)).join('\n');
  for (const text of [
    'INFO by log',
    'ERROR by error',
    "INFO { by: 'dir' }",
    'INFO by dirxml',
    'INFO by group',
    'INFO by groupCollapsed',
    'WARN Assertion failed: by assert',
    /^INFO by time: .* and timeLog$/m,
    /^INFO by time: \S+$/m,
    'INFO by count: 1',
    /^INFO .*table/m,
    'INFO by trace',
  ]) {
    expect(seen).toMatch(text);
  }
});

it('S4: NODE_TLS_REJECT_UNAUTHORIZED=0 prevents startup with profile prod', async () => {
  const { exitCode, stderr } = await runService({
    env: { NODE_TLS_REJECT_UNAUTHORIZED: '0', APP_PROFILES_ACTIVE: 'prod' },
  });

  expect(exitCode).toBe(1);
  expect(stderr).toContain('NODE_TLS_REJECT_UNAUTHORIZED=0 makes outgoing connections accept every certificate');
});
