import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createConnection } from 'mysql2/promise';
import { type DatabaseKind, programOf } from '../runner/binaries.js';
import { freePort } from '../programs/free-port.js';
import { KeptProcess } from '../programs/kept-process.js';
import { waitUntil } from '../runner/wait-until.js';

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
const ENVIRONMENT = { PATH: process.env['PATH'] ?? '' };

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
  await installDatabase(kind, folder, AS_SUPERUSER);
  const access = await freeAccess();
  const args = [
    ...serverArguments(folder, access),
    `--init-file=${administratorFile(folder, access)}`,
    ...AS_SUPERUSER,
    ...KINDS[kind].options,
    ...options,
  ];
  const server = await KeptProcess.start(programOf(kind), args, { env: ENVIRONMENT, cwd: folder, folder });
  await untilAnswers(kind, server, access);
  return {
    ...access,
    async stop() {
      await server.stop();
    },
  };
}

/** Creates the data of a server below the folder; `asUser` is its `--user` option. */
export async function installDatabase(kind: DatabaseKind, folder: string, asUser: readonly string[]): Promise<void> {
  const { installer, installation } = KINDS[kind];
  await promisify(execFile)(
    programOf(installer),
    ['--no-defaults', `--datadir=${join(folder, 'data')}`, `--tmpdir=${folder}`, ...installation, ...asUser],
    { env: ENVIRONMENT, cwd: folder },
  );
}

/** A free port, and an administrator who does not exist yet. */
export async function freeAccess(): Promise<ServerAccess> {
  return { host: HOST, port: await freePort(), user: 'admin', password: randomBytes(12).toString('hex') };
}

/** Waits until a started server accepts connections. */
export async function untilAnswers(kind: DatabaseKind, server: KeptProcess, access: ServerAccess): Promise<void> {
  await waitUntil(
    `${kind} answers`,
    async () => {
      if (server.hasEnded) throw new Error(`${kind} did not start:\n${server.stdout}${server.stderr}`);
      return answers(access);
    },
    { limitMillis: START_LIMIT_MILLIS },
  );
}

/** Writes the statements that create the administrator, for `--init-file`. */
export function administratorFile(folder: string, { user, password }: ServerAccess): string {
  const file = join(folder, 'init.sql');
  writeFileSync(
    file,
    `CREATE USER '${user}'@'${HOST}' IDENTIFIED BY '${password}';\n` +
      `GRANT ALL PRIVILEGES ON *.* TO '${user}'@'${HOST}' WITH GRANT OPTION;\n`,
    { mode: 0o600 },
  );
  return file;
}

/** The command line of a server whose data are below the folder. */
export function serverArguments(folder: string, access: ServerAccess): readonly string[] {
  return [
    '--no-defaults',
    `--datadir=${join(folder, 'data')}`,
    // A separate folder, since a server removes the temporary tables of others at its start.
    `--tmpdir=${folder}`,
    `--socket=${join(folder, 'socket')}`,
    `--pid-file=${join(folder, 'pid')}`,
    `--bind-address=${HOST}`,
    `--port=${access.port}`,
    '--skip-name-resolve',
    '--character-set-server=utf8mb4',
    '--max-connections=300',
    // Small, and without a disk flush at each commit, since the data are temporary. All other settings are the defaults.
    '--innodb-buffer-pool-size=64M',
    '--innodb-flush-log-at-trx-commit=2',
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
