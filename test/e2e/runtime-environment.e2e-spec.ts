import { afterEach, expect, it } from 'vitest';
import { needs } from '../support/needs.js';
import { startRedis } from '../support/redis.js';
import { type RunningService, runCli, runService, startService } from '../support/service.js';

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

it('S4: NODE_TLS_REJECT_UNAUTHORIZED=0 prevents startup with profile prod', async () => {
  const { exitCode, stderr } = await runService({
    env: { NODE_TLS_REJECT_UNAUTHORIZED: '0', APP_PROFILES_ACTIVE: 'prod' },
  });

  expect(exitCode).toBe(1);
  expect(stderr).toContain('NODE_TLS_REJECT_UNAUTHORIZED=0 makes outgoing connections accept every certificate');
});
