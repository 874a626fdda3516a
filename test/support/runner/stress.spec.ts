import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';

const STRESS = join(import.meta.dirname, '../../../tools/stress.mjs');

it('npm run test:stress runs the chosen tests beside one busy thread for each core', async () => {
  const { run, stdout } = stress('test/kernel/encoding/base32.vectors.spec.ts');

  expect(await once(run, 'exit')).toEqual([0, null]);
  expect(await stdout).toContain(`${availableParallelism()} busy threads compete with the tests.`);
  expect(await stdout).toMatch(/[1-9]\d* passed, 0 failed/);
});

it('npm run test:stress ends with its tests on a signal', async () => {
  const { run, stdout } = stress('test/kernel/encoding');
  await once(run.stdout, 'data');

  run.kill('SIGTERM');

  expect(await once(run, 'exit')).toEqual([1, null]);
  // The output ends when no process of the run holds it any more.
  expect(await stdout).not.toMatch(/\d passed/);
});

function stress(...args: readonly string[]) {
  const run = spawn(process.execPath, [STRESS, '--no-color', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'] ?? '', NO_COLOR: '1' },
  });
  return { run, stdout: text(run.stdout) };
}
