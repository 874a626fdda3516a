import { cpSync, readdirSync, statSync, symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { request } from '../support/broker.js';
import { KeptProcess } from '../support/kept-process.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { waitUntil } from '../support/wait-until.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

describe('compiled code beside the bundle', () => {
  let installation: string;

  /** A copy of the build, since other tests start the original at the same time. */
  beforeEach(async () => {
    await request('build');
    installation = temporaryFolder('installation');
    cpSync(join(ROOT, 'dist'), join(installation, 'dist'), {
      recursive: true,
      filter: (path) => !path.endsWith('.map') && !path.endsWith('.compile-cache'),
    });
    cpSync(join(ROOT, 'package.json'), join(installation, 'package.json'));
    symlinkSync(join(ROOT, 'node_modules'), join(installation, 'node_modules'));
  });

  /** The files with the compiled code, and what changes when one of them is replaced. */
  const keptCode = (): readonly { readonly path: string; readonly id: number; readonly size: number }[] =>
    readdirSync(join(installation, 'dist/bundle'))
      .filter((file) => file.endsWith('.code'))
      .map((file) => join(installation, 'dist/bundle', file))
      .map((path) => ({ path, id: statSync(path).ino, size: statSync(path).size }));

  async function startAndStop(...options: readonly string[]): Promise<string> {
    const args = ['--max-semi-space-size=4', ...options, join(installation, 'dist/main.js'), '--server.port=0'];
    const process = await KeptProcess.start(globalThis.process.execPath, [...args, '--server.address=127.0.0.1'], {
      env: {},
      cwd: temporaryFolder('service'),
    });
    await waitUntil('the first user is printed', () => process.stdout.includes('First user: ') || process.hasEnded);
    process.signal('SIGTERM');
    await process.exit;
    return process.stderr;
  }

  it('the build keeps it, and a startup uses it as it is', async () => {
    const before = keptCode();
    expect(before).toHaveLength(1);

    expect(await startAndStop()).toBe('');

    expect(keptCode()).toEqual(before);
  });

  it('a startup with other V8 options replaces the code that V8 rejects', async () => {
    const before = keptCode();

    expect(await startAndStop('--stack-trace-limit=50')).toBe('');

    for (const [index, { id }] of keptCode().entries()) expect(id).not.toBe(before[index]?.id);
  });

  it('a startup with damaged code compiles the sources and replaces it', async () => {
    const before = keptCode();
    for (const { path, size } of before) truncateSync(path, size >> 1);

    expect(await startAndStop()).toBe('');

    expect(keptCode().map(({ path }) => path)).toEqual(before.map(({ path }) => path));
    for (const [index, { id, size }] of keptCode().entries()) {
      expect(id).not.toBe(before[index]?.id);
      expect(size).toBeGreaterThan((before[index]?.size ?? 0) >> 1);
    }
  });
});
