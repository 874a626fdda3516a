import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../../../test/support/programs/temporary-folder.js';
import { Clock } from '../../../kernel/clock/clock.js';
import { SystemRandom } from '../../../kernel/random/random.js';
import { UploadFolder, UploadFolderFailure } from './upload-folder.js';

const NOW = 1_800_000_000_000;

class StoppedClock extends Clock {
  millis(): number {
    return NOW;
  }
}

function open(location: string): UploadFolder {
  return UploadFolder.open(location, new SystemRandom(), new StoppedClock());
}

/** A file that another process would have made, `ageMillis` ago. */
function leave(folder: string, owner: { readonly host?: string; readonly pid: number }, ageMillis = 0): string {
  const [, host = ''] = basename(open(temporaryFolder()).newFile()).split('.');
  const name = `login-upload.${owner.host ?? host}.${owner.pid}.${new SystemRandom().text(16)}`;
  writeFileSync(join(folder, name), 'left');
  const madeAt = (NOW - ageMillis) / 1000;
  utimesSync(join(folder, name), madeAt, madeAt);
  return name;
}

function endedProcess(): number {
  return spawnSync(process.execPath, ['--version']).pid;
}

describe('the upload folder', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('is empty after the check at startup', () => {
    const path = temporaryFolder();

    open(path);

    expect(readdirSync(path)).toEqual([]);
  });

  it('gives every upload a unique path in it', () => {
    const path = temporaryFolder();
    const folder = open(path);

    const files = Array.from({ length: 100 }, () => folder.newFile());

    expect(new Set(files).size).toBe(100);
    expect(files.every((file) => join(path, basename(file)) === file)).toBe(true);
  });

  it('may be a symbolic link', () => {
    const link = join(temporaryFolder(), 'link');
    symlinkSync(temporaryFolder(), link);

    expect(open(link).path).toBe(link);
  });

  it('is created if it is the temporary folder of the machine', () => {
    const missing = join(temporaryFolder(), 'not/there');
    vi.stubEnv('TMPDIR', missing);

    const { path } = UploadFolder.open(undefined, new SystemRandom(), new StoppedClock());

    expect(path).toBe(missing);
    expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  it.runIf(existsSync('/proc/self'))('is rejected if the temporary folder cannot be created', () => {
    vi.stubEnv('TMPDIR', '/proc/no-such-folder/tmp');

    expect(() => UploadFolder.open(undefined, new SystemRandom(), new StoppedClock())).toThrow(UploadFolderFailure);
  });

  it.each([
    ['does not exist', join(temporaryFolder(), 'missing'), /^ENOENT$/],
    ['is a file', import.meta.filename, /^ENOTDIR$/],
    // Even root cannot create files there.
    ['cannot be written', '/proc', /^(?:EACCES|ENOENT|EPERM)$/],
  ])('is rejected if it %s', (_, location, code) => {
    let failure: unknown;
    try {
      open(location);
    } catch (error) {
      failure = error;
    }

    expect(failure).toBeInstanceOf(UploadFolderFailure);
    expect((failure as UploadFolderFailure).path).toBe(location);
    expect((failure as UploadFolderFailure).code).toMatch(code);
  });
});

describe('a file that a killed process left in the upload folder', () => {
  it('is removed at the next startup', () => {
    const path = temporaryFolder();
    leave(path, { pid: endedProcess() });
    // In a container every process has the same number.
    leave(path, { pid: process.pid });

    open(path);

    expect(readdirSync(path)).toEqual([]);
  });

  it('is kept while its process runs or may run on another machine', () => {
    const path = temporaryFolder();
    const others = [leave(path, { pid: process.ppid }), leave(path, { host: 'another-host', pid: endedProcess() })];

    open(path);

    expect(readdirSync(path).toSorted()).toEqual(others.toSorted());
  });

  it('is removed after a day, whichever machine created it', () => {
    const path = temporaryFolder();
    const hour = 60 * 60 * 1000;
    leave(path, { host: 'another-host', pid: 1 }, 25 * hour);
    const young = leave(path, { host: 'another-host', pid: 1 }, 23 * hour);

    open(path);

    expect(readdirSync(path)).toEqual([young]);
  });

  it('cannot be faked by a folder or a link to prevent startup', () => {
    const path = temporaryFolder();
    const folder = leave(path, { pid: endedProcess() });
    rmSync(join(path, folder));
    mkdirSync(join(path, folder));
    const link = leave(path, { pid: endedProcess() });
    rmSync(join(path, link));
    symlinkSync(import.meta.filename, join(path, link));

    open(path);

    expect(readdirSync(path).toSorted()).toEqual([folder, link].toSorted());
  });

  it('is recognized by its name; other files are kept', () => {
    const path = temporaryFolder();
    const ended = endedProcess();
    const names = [
      'people.csv',
      'login-upload.csv',
      `login-upload.host.${ended}.short`,
      `my-login-upload.h.${ended}.${'x'.repeat(22)}`,
    ];
    for (const name of names) {
      writeFileSync(join(path, name), '');
      utimesSync(join(path, name), 0, 0);
    }
    mkdirSync(join(path, 'folder'));

    open(path);

    expect(readdirSync(path).toSorted()).toEqual([...names, 'folder'].toSorted());
  });
});
