import { execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { isPrepared, PREPARED_EXAMPLES, type PreparedExample } from '../examples/prepared-examples.js';

/** Servers that some tests need and that npm does not install. */
export const SERVERS = [
  ...(['mariadb', 'galera', 'redis', 'chromium', 'openssl', 'prometheus', 'oathtool'] as const),
  ...(['nginx', 'caddy', 'haproxy', 'php-fpm', 'apache'] as const),
  ...PREPARED_EXAMPLES,
] as const;
export type Server = (typeof SERVERS)[number];

/** Servers with the MySQL protocol. Tests use a MySQL if it is installed and do not require it. */
export type DatabaseKind = 'mariadb' | 'mysql';

/** Proxies that no package of Debian has. Tests use one that is installed and require none. */
export type OptionalProxy = 'envoy' | 'traefik';

/** Galera is a library, and copies the data to a new node with rsync. */
type Program =
  | Exclude<Server, 'galera' | PreparedExample>
  | DatabaseKind
  | OptionalProxy
  | ('mariadb-install' | 'promtool' | 'php' | 'rsync' | 'java' | 'oauth2-proxy');

export const PROGRAMS: Readonly<Record<Program, readonly string[]>> = {
  mariadb: ['mariadbd', 'mysqld'],
  mysql: ['mysqld'],
  'mariadb-install': ['mariadb-install-db', 'mysql_install_db'],
  redis: ['redis-server'],
  openssl: ['openssl'],
  prometheus: ['prometheus'],
  promtool: ['promtool'],
  php: ['php'],
  oathtool: ['oathtool'],
  rsync: ['rsync'],
  nginx: ['nginx'],
  caddy: ['caddy'],
  haproxy: ['haproxy'],
  envoy: ['envoy'],
  traefik: ['traefik'],
  'php-fpm': ['php-fpm', 'php-fpm8.4', 'php-fpm8.3', 'php-fpm8.2'],
  apache: ['apache2'],
  java: ['java'],
  'oauth2-proxy': ['oauth2-proxy'],
  chromium: ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'Google Chrome'],
};

/** Folders of server programs, which are usually not on the path of a user. */
const USUAL_FOLDERS = [
  '/usr/local/bin',
  '/usr/bin',
  '/usr/local/sbin',
  '/usr/sbin',
  '/usr/libexec',
  '/opt/homebrew/bin',
  '/opt/homebrew/opt/mariadb/bin',
  '/opt/homebrew/opt/mysql/bin',
  '/usr/local/mysql/bin',
  '/Applications/Google Chrome.app/Contents/MacOS',
];

const GALERA_FILES = ['/usr/lib/galera/libgalera_smm.so', '/usr/lib64/galera-4/libgalera_smm.so'];

const OPENIDC_MODULE = '/usr/lib/apache2/modules/mod_auth_openidc.so';

/** The library that replicates the writes of a MariaDB Galera cluster, or undefined if it is not installed. */
export function findGalera(): string | undefined {
  return GALERA_FILES.find((file) => existsSync(file));
}

/** The file of the program, or null if it is not installed, or hidden by `HIDE_SERVERS=1` as on a machine without any. */
export function findProgram(program: Program): string | null {
  if (process.env['HIDE_SERVERS'] === '1') return null;
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...USUAL_FOLDERS];
  for (const name of PROGRAMS[program]) {
    for (const folder of folders) {
      const file = join(folder, name);
      if (folder !== '' && isExecutable(file) && (program !== 'mysql' || isMysql(file))) return file;
    }
  }
  return null;
}

/** Like `findProgram`, for tests that run only if the program is installed. */
export function programOf(program: Program): string {
  const file = findProgram(program);
  if (file === null) throw new Error(`${program} is not on this machine`);
  return file;
}

/** A second program that the first one requires: it creates its data folder or checks its files. */
const HELPERS: Partial<Record<Server, Program>> = { mariadb: 'mariadb-install', prometheus: 'promtool' };

function isExample(server: Server): server is PreparedExample {
  return PREPARED_EXAMPLES.some((name) => name === server);
}

/** True if a test that needs the server can run. */
export function isOnThisMachine(server: Server): boolean {
  if (server === 'galera')
    return isOnThisMachine('mariadb') && findGalera() !== undefined && findProgram('rsync') !== null;
  if (isExample(server)) return process.env['HIDE_SERVERS'] !== '1' && isPrepared(server);
  if (server === 'apache' && !existsSync(OPENIDC_MODULE)) return false;
  const helper = HELPERS[server];
  return findProgram(server) !== null && (helper === undefined || findProgram(helper) !== null);
}

/** MariaDB contains a program of the same name, and MySQL before version 8 is not supported. */
function isMysql(file: string): boolean {
  try {
    const version = execFileSync(file, ['--no-defaults', '--version'], { encoding: 'utf8' });
    return !version.includes('MariaDB') && /\bVer (?:[89]|\d\d)\./.test(version);
  } catch {
    return false;
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
