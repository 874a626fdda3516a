import { chmodSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findProgram, isOnThisMachine, SERVERS } from './binaries.js';
import { temporaryFolder } from '../programs/temporary-folder.js';

describe('programs on the path', () => {
  beforeEach(() => {
    vi.stubEnv('HIDE_SERVERS', undefined);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it('findProgram finds a program under any of its names and prefers the first name', () => {
    const folder = temporaryFolder();
    vi.stubEnv('PATH', [folder, '/usr/bin'].join(delimiter));
    makeProgram(join(folder, 'mysqld'));
    makeProgram(join(folder, 'redis-server'));

    expect(findProgram('redis')).toBe(join(folder, 'redis-server'));
    makeProgram(join(folder, 'mariadbd'));
    expect(findProgram('mariadb')).toBe(join(folder, 'mariadbd'));
  });

  it('T1: HIDE_SERVERS=1 hides every program', () => {
    const folder = temporaryFolder();
    vi.stubEnv('PATH', folder);
    vi.stubEnv('HIDE_SERVERS', '1');
    makeProgram(join(folder, 'redis-server'));

    expect(findProgram('redis')).toBeNull();
    expect(SERVERS.filter(isOnThisMachine)).toEqual([]);
  });

  it('findProgram skips a file that is not executable', () => {
    const folder = temporaryFolder();
    vi.stubEnv('PATH', folder);
    writeFileSync(join(folder, 'redis-server'), '');

    expect(findProgram('redis')).not.toBe(join(folder, 'redis-server'));
  });
});

describe('choice of mysqld', () => {
  const MYSQL = 'mysqld  Ver 8.0.44 for Linux on x86_64 (MySQL Community Server - GPL)';

  beforeEach(() => {
    vi.stubEnv('HIDE_SERVERS', undefined);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it.each([
    'mysqld  Ver 10.11.14-MariaDB-0+deb12u2 for debian-linux-gnu on x86_64 (Debian 12)',
    'mysqld  Ver 5.7.44 for Linux on x86_64 (MySQL Community Server (GPL))',
  ])('findProgram skips a mysqld with version "%s" for a MySQL 8', (version) => {
    const [other, mysql] = [temporaryFolder(), temporaryFolder()];
    vi.stubEnv('PATH', [other, mysql, process.env['PATH']].join(delimiter));
    makeProgram(join(other, 'mysqld'), saying(version));
    makeProgram(join(mysql, 'mysqld'), saying(MYSQL));

    expect(findProgram('mysql')).toBe(join(mysql, 'mysqld'));
  });
});

function saying(text: string): string {
  return `#!/bin/sh\necho '${text}'\n`;
}

function makeProgram(file: string, text = ''): void {
  writeFileSync(file, text);
  chmodSync(file, 0o755);
}
