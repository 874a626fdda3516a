import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { temporaryFolder } from './support/programs/temporary-folder.js';

const MODULE = pathToFileURL(join(import.meta.dirname, '../tools/build-info.mjs')).href;
const EPOCH = { SOURCE_DATE_EPOCH: '1935468000' };
const BUILD = { artifact: 'some-service', name: 'some-service', version: '1.2.3', time: '2031-05-02T06:00:00Z' };

function packageFolder(parent = temporaryFolder('build-info')): string {
  const folder = join(parent, 'package');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{"name":"some-service","version":"1.2.3"}');
  return folder;
}

function infoOf(folder: string, env: Readonly<Record<string, string>> = {}): unknown {
  const code = `console.log(JSON.stringify((await import(process.argv[1])).buildInfo(process.argv[2])))`;
  const args = ['--input-type=module', '-e', code, MODULE, folder];
  return JSON.parse(
    execFileSync(process.execPath, args, { env: { PATH: process.env['PATH'], ...env }, encoding: 'utf8' }),
  );
}

function git(folder: string, ...args: readonly string[]): string {
  const author = { GIT_AUTHOR_DATE: '1935460000 +0900', GIT_COMMITTER_DATE: '1935460000 +0900' };
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'init.defaultBranch=main'];
  return execFileSync('git', [...who, '-C', folder, ...args], { env: { ...process.env, ...author }, encoding: 'utf8' });
}

function workingCopy(): string {
  const folder = packageFolder();
  git(folder, 'init', '-q');
  git(folder, 'add', '.');
  git(folder, 'commit', '-q', '--no-verify', '-m', 'feat: all of it');
  return folder;
}

it('build info contains the commit, and the time from SOURCE_DATE_EPOCH if it is set', () => {
  const folder = workingCopy();

  const info = infoOf(folder, EPOCH);

  const full = git(folder, 'rev-parse', 'HEAD').trim();
  expect(info).toEqual({
    build: BUILD,
    git: {
      branch: 'main',
      commit: {
        id: { abbrev: full.slice(0, 7), full },
        time: '2031-05-02T03:46:40Z',
        message: { short: 'feat: all of it' },
      },
      dirty: false,
    },
  });
});

it('the build time is in UTC to the second', () => {
  expect(infoOf(packageFolder())).toMatchObject({
    build: { time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) as unknown },
  });
});

it('build info marks a working copy with changed files as dirty', () => {
  const folder = workingCopy();
  writeFileSync(join(folder, 'package.json'), '{"name":"some-service","version":"1.2.4"}');

  expect(infoOf(folder)).toMatchObject({ build: { version: '1.2.4' }, git: { dirty: true } });
});

it('build info of a detached HEAD names no branch', () => {
  const folder = workingCopy();
  git(folder, 'checkout', '-q', '--detach');

  expect(infoOf(folder)).toMatchObject({ git: { commit: {} } });
  expect(JSON.stringify(infoOf(folder))).not.toContain('"branch"');
});

it.each([
  ['of an unpacked archive', () => packageFolder()],
  ['inside a working copy of something else', () => packageFolder(workingCopy())],
])('build info %s names no commit', (_, folder) => {
  expect(infoOf(folder(), EPOCH)).toEqual({ build: BUILD });
});

it('build info without Git names no commit', () => {
  expect(infoOf(workingCopy(), { ...EPOCH, PATH: '/nowhere' })).toEqual({ build: BUILD });
});
