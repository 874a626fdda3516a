import { cpSync, readdirSync, realpathSync, statSync, symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { request } from '../../support/events/broker.js';
import { HttpClient } from '../../support/http/http-client.js';
import { KeptProcess } from '../../support/programs/kept-process.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';
import { waitUntil } from '../../support/runner/wait-until.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** A copy of the build, since other tests start the original at the same time. */
async function installed(folderOfBuild: string): Promise<string> {
  await request('build');
  const installation = temporaryFolder('installation');
  cpSync(realpathSync(join(ROOT, 'dist')), join(installation, folderOfBuild), {
    recursive: true,
    filter: (path) => !path.endsWith('.map') && !path.endsWith('.compile-cache'),
  });
  cpSync(join(ROOT, 'package.json'), join(installation, 'package.json'));
  symlinkSync(join(ROOT, 'node_modules'), join(installation, 'node_modules'));
  return installation;
}

/** Starts the service of an installation, until it has printed its first user. */
async function start(installation: string, options: readonly string[] = []): Promise<KeptProcess> {
  const args = ['--max-semi-space-size=4', ...options, join(installation, 'dist/main.js'), '--server.port=0'];
  const process = await KeptProcess.start(globalThis.process.execPath, [...args, '--server.address=127.0.0.1'], {
    env: {},
    cwd: temporaryFolder('service'),
  });
  await waitUntil('the first user is printed', () => process.stdout.includes('First user: ') || process.hasEnded);
  return process;
}

describe('compiled code beside the bundle', () => {
  let installation: string;

  beforeEach(async () => {
    installation = await installed('dist');
  });

  /** The files with the compiled code, and what changes when one of them is replaced. */
  const keptCode = (): readonly { readonly path: string; readonly id: number; readonly size: number }[] =>
    readdirSync(join(installation, 'dist/bundle'))
      .filter((file) => file.endsWith('.code'))
      .map((file) => join(installation, 'dist/bundle', file))
      .map((path) => ({ path, id: statSync(path).ino, size: statSync(path).size }));

  async function startAndStop(...options: readonly string[]): Promise<string> {
    const process = await start(installation, options);
    process.signal('SIGTERM');
    await process.exit;
    return process.stderr;
  }

  it('the build keeps compiled code, and a startup uses it as it is', async () => {
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

describe('C7: a rebuild in the folder of a running service', () => {
  /** Paths whose code is loaded at the first request. */
  const LAZY = ['/openapi.json', '/docs', '/actuator/health', '/portal/login'];

  const beginBuild = async (installation: string): Promise<string> => {
    const tool = (await import(join(ROOT, 'tools/build-folder.mjs'))) as { beginBuild(root: string): string };
    return tool.beginBuild(installation);
  };

  it('leaves the service its build, however often; other old builds are deleted', async () => {
    const installation = await installed('builds/first');
    symlinkSync('builds/first', join(installation, 'dist'));
    const service = await start(installation);

    await beginBuild(installation);
    const [second, third] = [await beginBuild(installation), await beginBuild(installation)];

    const url = /http:\/\/\S+(?=\/)/.exec(service.stdout)?.[0] ?? '';
    const statuses = await Promise.all(LAZY.map(async (path) => (await fetch(url + path)).status));
    expect(statuses).toEqual(LAZY.map(() => 200));
    // A password is compared by a worker, which is another file.
    expect((await new HttpClient(url).post('/login', { id: 'admin', pw: 'wrong' })).status).toBe(401);
    const kept = readdirSync(join(installation, 'builds')).map((name) => join(installation, 'builds', name));
    expect(new Set(kept)).toEqual(new Set([join(installation, 'builds/first'), second, third]));

    service.signal('SIGTERM');
    await service.exit;
    await beginBuild(installation);
    expect(readdirSync(join(installation, 'builds'))).not.toContain('first');
  });

  it('replaces the folder dist of an installation of an earlier version by a link', async () => {
    const installation = await installed('dist');

    const folder = await beginBuild(installation);

    expect(realpathSync(join(installation, 'dist'))).toBe(folder);
    expect(readdirSync(folder)).toEqual([]);
  });
});
