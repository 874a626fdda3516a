import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { KeptProcess } from '../../support/programs/kept-process.js';
import { runCli } from '../../support/programs/service.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

async function npm(...args: readonly string[]): Promise<{ readonly exitCode: number | null; readonly output: string }> {
  // Built once for the whole run, so that the script finds nothing to build.
  await runCli(['--help']);
  const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', TZ: 'UTC' };
  const command = await KeptProcess.start('npm', args, { env, cwd: ROOT });
  const { code } = await command.exit;
  return { exitCode: code, output: command.stdout + command.stderr };
}

it('npm start -- passes arguments on to the service', async () => {
  const { exitCode, output } = await npm('start', '--silent', '--', '--server.port=abc', '-Dserver.shutdown=abc');

  expect(exitCode).toBe(1);
  expect(output).toContain('"server.port" from property source "commandLineArgs"');
  expect(output).toContain('"server.shutdown" from property source "systemProperties"');
});

it('npm run cli -- passes arguments on to the command line', async () => {
  const { exitCode, output } = await npm(
    'run',
    '--silent',
    'cli',
    '--',
    'config',
    'get',
    'server.port',
    '-Dserver.port=7',
  );

  expect(exitCode).toBe(0);
  expect(output).toContain('server.port = 7\n');
});
