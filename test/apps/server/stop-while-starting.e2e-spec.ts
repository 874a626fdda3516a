import { afterEach, describe, expect, it } from 'vitest';
import { freshMariadbDatabase } from '../../support/database/fresh-database.js';
import { needs } from '../../support/runner/needs.js';
import { logOf, type RunningService, runService, startService } from '../../support/programs/service.js';
import { waitUntil } from '../../support/runner/wait-until.js';

const PRELOAD = new URL('../../support/programs/signal-preload.ts', import.meta.url).href;

/** Modules whose loading marks a stage of startup. */
const FIRST_MODULE = '/bundle/bootstrap.cjs';
const EMBEDDED_DATABASE = '/bundle/node-sqlite.cjs';
const DATABASE_SERVER = '/mysql2/index.js';

let running: RunningService | undefined;

afterEach(async () => {
  await running?.release();
  running = undefined;
});

/** Makes the service get signals while it loads a module. */
function signalledAt(module: string, ...signals: readonly NodeJS.Signals[]): readonly string[] {
  return ['--import', `${PRELOAD}?at=${module}&signals=${signals.join(',')}`];
}

/** Redirects the output to a full disk. */
const FULL_DISK =
  "data:text/javascript,import { closeSync, openSync } from 'node:fs'; closeSync(1); openSync('/dev/full', 'w');";

/** The lines of a startup that is interrupted. */
const STOPPED = [
  expect.stringMatching(/^INFO Starting version /),
  'INFO Stopping: startup ends after its current step',
  'INFO Stopped',
];

describe('R1: signals during startup', () => {
  it.each([
    ['SIGTERM', 'at the very beginning', FIRST_MODULE],
    ['SIGINT', 'at the very beginning', FIRST_MODULE],
    ['SIGTERM', 'while the tables are created', EMBEDDED_DATABASE],
  ] as const)(
    '%s %s stops startup with exit code 0 and a log line, and the next startup succeeds',
    async (signal, _, module) => {
      const { exitCode, stdout, stderr, cwd } = await runService({ nodeArguments: signalledAt(module, signal) });

      expect({ exitCode, log: logOf(stdout), stderr }).toEqual({ exitCode: 0, log: STOPPED, stderr: '' });
      running = await startService({ cwd, isAlone: true });
      await waitUntil('the initial administrator is printed', () => running?.stdout.includes('First user: admin'));
      expect((await fetch(`${running.url}/actuator/health`)).status).toBe(200);
    },
  );

  it('a signal stops startup even when the output cannot be written', async () => {
    const { exitCode, stderr } = await runService({
      nodeArguments: ['--import', FULL_DISK, ...signalledAt(EMBEDDED_DATABASE, 'SIGTERM')],
    });

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  });

  it('a second signal stops startup at once with exit code 1', async () => {
    const { exitCode, stdout } = await runService({
      nodeArguments: signalledAt(EMBEDDED_DATABASE, 'SIGTERM', 'SIGINT'),
    });

    expect(exitCode).toBe(1);
    expect(stdout).not.toContain('Stopped');
  });

  it('a signal does not hide the reason why startup would fail', async () => {
    const { exitCode, stderr } = await runService({
      args: ['--app.datasource.url=jdbc:oracle:thin:@h'],
      nodeArguments: signalledAt(FIRST_MODULE, 'SIGTERM'),
    });

    expect(exitCode).toBe(1);
    expect(stderr).toContain('APPLICATION FAILED TO START');
  });

  needs('mariadb')('signals during startup on MariaDB', () => {
    it('a signal stops startup after the schema change is complete', async () => {
      const { url, username, password } = await freshMariadbDatabase();
      const env = { APP_DATASOURCE_URL: url, APP_DATASOURCE_USERNAME: username, APP_DATASOURCE_PASSWORD: password };

      const stopped = await runService({ env, nodeArguments: signalledAt(DATABASE_SERVER, 'SIGTERM') });
      running = await startService({ env, cwd: stopped.cwd, isAlone: true });

      expect([stopped.exitCode, logOf(stopped.stdout)]).toEqual([0, STOPPED]);
      expect((await fetch(`${running.url}/actuator/health`)).status).toBe(200);
    });
  });
});
