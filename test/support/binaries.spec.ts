import { chmodSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { findProgram, hasMysql } from './binaries.js';
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

describe('a mysqld', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it.each([
    ['mysqld  Ver 8.0.44 for Linux on x86_64 (MySQL Community Server - GPL)', true],
    ['mysqld  Ver 10.11.14-MariaDB-0+deb12u2 for debian-linux-gnu on x86_64 (Debian 12)', false],
  ])('that says "%s" is a MySQL: %s', (version, expected) => {
    const folder = temporaryFolder();
    vi.stubEnv('PATH', [folder, process.env['PATH']].join(delimiter));
    makeProgram(join(folder, 'mysqld'), `#!/bin/sh\necho '${version}'\n`);

    expect(hasMysql()).toBe(expected);
  });
});

function makeProgram(file: string, text = ''): void {
  writeFileSync(file, text);
  chmodSync(file, 0o755);
}
