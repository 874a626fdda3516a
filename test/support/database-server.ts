import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createConnection } from 'mysql2/promise';
import { type DatabaseKind, programOf } from './binaries.js';
import { freePort } from './free-port.js';
import { KeptProcess } from './kept-process.js';
import { waitUntil } from './wait-until.js';

/** How to reach a private server as its administrator. */
export interface ServerAccess {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
}

export interface DatabaseServer extends ServerAccess {
  stop(): Promise<void>;
}

const HOST = '127.0.0.1';
const START_LIMIT_MILLIS = 60_000;
/** The server does not run as root without this option. */
const AS_SUPERUSER = process.getuid?.() === 0 ? ['--user=root'] : [];

/** Differences of the two servers: creation of the data folder, and the names of some options. */
const KINDS = {
  mariadb: {
    installer: 'mariadb-install',
    installation: ['--auth-root-authentication-method=normal', '--skip-test-db', '--skip-name-resolve'],
    options: [],
  },
  mysql: {
    installer: 'mysql',
    installation: ['--initialize-insecure'],
    options: ['--mysqlx=OFF', '--skip-log-bin'],
  },
} as const;

/** A private server with its data below the folder; `options` are added to its command line. */
export async function startDatabaseServer(
  kind: DatabaseKind,
  folder: string,
  options: readonly string[] = [],
): Promise<DatabaseServer> {
  const env = { PATH: process.env['PATH'] ?? '' };
  const data = join(folder, 'data');
  const { installer, installation, options: ofKind } = KINDS[kind];
  await promisify(execFile)(
    programOf(installer),
    ['--no-defaults', `--datadir=${data}`, `--tmpdir=${folder}`, ...installation, ...AS_SUPERUSER],
    { env, cwd: folder },
  );
  const access = { host: HOST, port: await freePort(), user: 'admin', password: randomBytes(12).toString('hex') };
  const args = serverArguments(folder, data, access, [...ofKind, ...options]);
  const server = await KeptProcess.start(programOf(kind), args, { env, cwd: folder, folder });
  await waitUntil(
    `${kind} answers`,
    async () => {
      if (server.hasEnded) throw new Error(`${kind} did not start:\n${server.stdout}${server.stderr}`);
      return answers(access);
    },
    { limitMillis: START_LIMIT_MILLIS },
  );
  return {
    ...access,
    async stop() {
      await server.stop();
    },
  };
}

function serverArguments(folder: string, data: string, access: ServerAccess, options: readonly string[]): string[] {
  const init = join(folder, 'init.sql');
  writeFileSync(
    init,
    `CREATE USER '${access.user}'@'${HOST}' IDENTIFIED BY '${access.password}';\n` +
      `GRANT ALL PRIVILEGES ON *.* TO '${access.user}'@'${HOST}' WITH GRANT OPTION;\n`,
    { mode: 0o600 },
  );
  return [
    '--no-defaults',
    ...AS_SUPERUSER,
    `--datadir=${data}`,
    // A separate folder, since a server removes the temporary tables of others at its start.
    `--tmpdir=${folder}`,
    `--socket=${join(folder, 'socket')}`,
    `--pid-file=${join(folder, 'pid')}`,
    `--init-file=${init}`,
    `--bind-address=${HOST}`,
    `--port=${access.port}`,
    '--skip-name-resolve',
    '--character-set-server=utf8mb4',
    '--max-connections=300',
    // Small, and without a disk flush at each commit, since the data are temporary. All other settings are the defaults.
    '--innodb-buffer-pool-size=64M',
    '--innodb-flush-log-at-trx-commit=2',
    ...options,
  ];
}

async function answers({ host, port, user, password }: ServerAccess): Promise<boolean> {
  try {
    const connection = await createConnection({ host, port, user, password });
    await connection.end();
    return true;
  } catch {
    return false;
  }
}
