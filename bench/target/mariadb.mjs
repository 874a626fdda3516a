// A private MariaDB with its data in the folder of the bench, configured to lose no commit.
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { accessSync, constants, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createConnection } from 'mysql2/promise';
import { freePort } from './free-port.mjs';

const HOST = '127.0.0.1';
const START_LIMIT_MILLIS = 60_000;
const FOLDERS = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin', '/usr/libexec'];
/** The server refuses to run as the superuser unless it is told to. */
const AS_SUPERUSER = process.getuid?.() === 0 ? ['--user=root'] : [];

function programOf(...names) {
  for (const file of FOLDERS.flatMap((folder) => names.map((name) => join(folder, name)))) {
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // The program is not in this folder.
    }
  }
  return undefined;
}

const SERVER = programOf('mariadbd', 'mysqld');
const INSTALL = programOf('mariadb-install-db', 'mysql_install_db');

export const hasMariadb = SERVER !== undefined && INSTALL !== undefined;

/** Starts the server, whose process is `pid`. `database()` creates an empty database and returns the settings of the service for it. */
export async function startMariadb(folder) {
  mkdirSync(folder);
  const data = join(folder, 'data');
  // A starting server removes the temporary tables of other servers from a shared folder.
  const basic = ['--no-defaults', `--datadir=${data}`, `--tmpdir=${folder}`, ...AS_SUPERUSER];
  await promisify(execFile)(
    INSTALL,
    [...basic, '--auth-root-authentication-method=normal', '--skip-test-db', '--skip-name-resolve'],
    { cwd: folder },
  );
  const account = { user: 'bench', password: randomBytes(12).toString('hex') };
  const init = join(folder, 'init.sql');
  const name = `'${account.user}'@'${HOST}'`;
  const grant = `CREATE USER ${name} IDENTIFIED BY '${account.password}';\nGRANT ALL PRIVILEGES ON *.* TO ${name};\n`;
  writeFileSync(init, grant, { mode: 0o600 });
  const port = await freePort();
  const child = spawn(
    SERVER,
    [
      ...basic,
      `--socket=${join(folder, 'socket')}`,
      `--pid-file=${join(folder, 'pid')}`,
      `--init-file=${init}`,
      `--bind-address=${HOST}`,
      `--port=${port}`,
      '--skip-name-resolve',
      '--character-set-server=utf8mb4',
      '--innodb-buffer-pool-size=1G',
      '--innodb-log-file-size=256M',
      '--innodb-flush-log-at-trx-commit=1',
    ],
    { cwd: folder, stdio: 'ignore' },
  );
  const kill = () => child.kill('SIGKILL');
  // Before the listener that removes the folder.
  process.prependListener('exit', kill);
  const access = { host: HOST, port, ...account };
  await untilItAnswers(child, access);
  return {
    pid: child.pid,
    async database(database) {
      const connection = await createConnection(access);
      await connection.query(`CREATE DATABASE ${database}`);
      await connection.end();
      return {
        access: { ...access, database },
        settings: [
          `--app.datasource.url=jdbc:mariadb://${HOST}:${port}/${database}`,
          `--app.datasource.username=${account.user}`,
          `--app.datasource.password=${account.password}`,
        ],
      };
    },
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
      process.off('exit', kill);
    },
  };
}

async function untilItAnswers(child, access) {
  const limit = performance.now() + START_LIMIT_MILLIS;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`MariaDB ended with ${child.exitCode}`);
    try {
      const connection = await createConnection(access);
      await connection.end();
      return;
    } catch (error) {
      if (performance.now() > limit) throw error;
      await sleep(100);
    }
  }
}
