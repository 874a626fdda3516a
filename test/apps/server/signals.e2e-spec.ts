import { existsSync, readFileSync, renameSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ProcessSignals, StartInterrupted } from '../../../src/apps/server/process-signals.js';
import { freePort } from '../../support/programs/free-port.js';
import { type RunningService, startService } from '../../support/programs/service.js';
import { waitUntil } from '../../support/runner/wait-until.js';

let running: RunningService | undefined;

afterEach(async () => {
  await running?.release();
  running = undefined;
});

async function signal(name: NodeJS.Signals, ...nodeArguments: readonly string[]): Promise<RunningService> {
  const service = await startService({
    isAlone: true,
    nodeArguments,
    args: ['--logging.file.name=logs/login.log'],
  });
  running = service;
  process.kill(service.pid, name);
  await waitUntil(`the log names ${name}`, () => service.stdout.includes(name));
  return service;
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}

describe('signals to a running service', () => {
  it.each(['SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const)(
    'S1: the log names %s, and the service goes on to serve',
    async (name) => {
      const service = await signal(name);

      expect((await fetch(`${service.url}/actuator/health`)).status).toBe(200);
      expect(await service.stop()).toBe(0);
    },
  );

  it('S1: SIGUSR1 does not open the inspector', async () => {
    const port = await freePort();

    const service = await signal('SIGUSR1', `--inspect-port=127.0.0.1:${port}`);

    expect(await isOpen(port)).toBe(false);
    expect(service.stderr).toBe('');
  });

  it('S1: a log file that is moved away before SIGHUP is complete, and later lines are in a new file', async () => {
    const service = await startService({ isAlone: true, args: ['--logging.file.name=logs/login.log'] });
    running = service;
    const file = join(service.cwd, 'logs/login.log');
    await waitUntil(
      'the log has the ready line',
      () => existsSync(file) && readFileSync(file, 'utf8').includes('ready'),
    );

    renameSync(file, `${file}.1`);
    process.kill(service.pid, 'SIGHUP');

    await waitUntil('a new file has a line', () => existsSync(file) && readFileSync(file, 'utf8').includes('SIGHUP'));
    expect(readFileSync(`${file}.1`, 'utf8')).toMatch(/ready[^\n]*\n/);
  });

  it('S1: SIGQUIT logs the threads and the background tasks in progress', async () => {
    const service = await signal('SIGQUIT');

    expect(service.log).toContain('INFO SIGQUIT: "main" #0');
  });

  it('S1: with the options of the packaged start, SIGUSR1 is not even delivered', async () => {
    const port = await freePort();
    const service = await startService({
      isAlone: true,
      nodeArguments: ['--disable-sigusr1', `--inspect-port=127.0.0.1:${port}`],
    });
    running = service;

    process.kill(service.pid, 'SIGUSR1');
    process.kill(service.pid, 'SIGUSR2');

    await waitUntil('the log names SIGUSR2', () => service.stdout.includes('SIGUSR2'));
    expect(service.stdout).not.toContain('SIGUSR1');
    expect(await isOpen(port)).toBe(false);
  });
});

it('S1: SIGHUP from a closed terminal stops the service', () => {
  const signals = new ProcessSignals(() => undefined, true);

  signals.receive('SIGHUP');

  expect(() => {
    signals.check();
  }).toThrow(StartInterrupted);
});
