import { chmodSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { findProgram } from './binaries.js';
import { temporaryFolder } from './temporary-folder.js';

describe('a program', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it('is found on the path under any of its names, its first name first', () => {
    const folder = temporaryFolder();
    vi.stubEnv('PATH', [folder, '/usr/bin'].join(delimiter));
    makeProgram(join(folder, 'mysqld'));
    makeProgram(join(folder, 'redis-server'));

    expect(findProgram('redis')).toBe(join(folder, 'redis-server'));
    makeProgram(join(folder, 'mariadbd'));
    expect(findProgram('mariadb')).toBe(join(folder, 'mariadbd'));
  });

  it('is not a file that cannot be run', () => {
    const folder = temporaryFolder();
    vi.stubEnv('PATH', folder);
    writeFileSync(join(folder, 'redis-server'), '');

    expect(findProgram('redis')).not.toBe(join(folder, 'redis-server'));
  });
});

function makeProgram(file: string): void {
  writeFileSync(file, '');
  chmodSync(file, 0o755);
}
