import { closeSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { withoutUndefined } from '../collections/without-undefined.js';
import { ConversionError } from '../config/problem.js';
import { poolOf } from './engines/database-server.js';
import { DatabaseUnavailable } from './engines/database-unavailable.js';
import type { DatasourceProperties } from './datasource.properties.js';
import type { TlsMode } from './jdbc/jdbc-parameters.js';
import { type DatabaseServer, parseJdbcUrl } from './jdbc/jdbc-url.js';
import { migrate, MIGRATIONS } from './migrations/migrations.js';
import { makeFolderNow } from '../files/make-folder.js';

/** The time for which startup waits for another process that locks the file. */
const BUSY_TIMEOUT_MILLIS = 5000;
/** After startup such a wait would block the event loop, so units of work are retried instead. */
const REQUEST_BUSY_TIMEOUT_MILLIS = 20;

const COMMON = {
  entities: [],
  migrations: [...MIGRATIONS],
  synchronize: false,
  logging: false,
  // TypeORM's other loggers write to the console even if logging is off; this one only if `DEBUG` enables it.
  logger: 'debug',
} satisfies Partial<DataSourceOptions>;

const SESSION = ['SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED', 'SET SESSION innodb_lock_wait_timeout = 3'];

type Settings = Readonly<Pick<DatasourceProperties, 'url' | 'username' | 'password'>>;

/**
 * Connects to the first host that responds and migrates the schema. The URL may override `connectMillis`, the timeout of a
 * connection; 0 leaves it to the driver.
 */
export async function openDatabase(settings: Settings, connectMillis = 0): Promise<DataSource> {
  const dataSource = await connect(settings, connectMillis);
  try {
    await migrate(dataSource);
    if (dataSource.options.type === 'better-sqlite3') {
      await dataSource.query(`PRAGMA busy_timeout = ${REQUEST_BUSY_TIMEOUT_MILLIS}`);
    }
    return dataSource;
  } catch (error) {
    await dataSource.destroy();
    throw new DatabaseUnavailable(settings.url, error);
  }
}

async function connect(settings: Settings, connectMillis: number): Promise<DataSource> {
  let failure: unknown;
  for (const options of await dataSourceOptions(settings, connectMillis)) {
    try {
      const dataSource = await new DataSource(options).initialize();
      if (dataSource.options.type !== 'better-sqlite3') await prepareConnections(dataSource);
      return dataSource;
    } catch (error) {
      failure = error;
    }
  }
  throw new DatabaseUnavailable(settings.url, failure);
}

/**
 * READ COMMITTED locks the changed rows and no gaps between them, so that transactions of different users do not collide.
 * A lock that is not granted within seconds is reported as an error.
 */
async function prepareConnections(dataSource: DataSource): Promise<void> {
  poolOf(dataSource).on('connection', (connection) => {
    for (const sql of SESSION) connection.query(sql, () => undefined);
  });
  // The first connection is open already and misses the event.
  for (const sql of SESSION) await dataSource.query(sql);
}

/** The options of TypeORM: one set for each host of the URL, in their order. */
export async function dataSourceOptions(settings: Settings, connectMillis = 0): Promise<readonly DataSourceOptions[]> {
  const location = parseJdbcUrl(settings.url);
  if (location instanceof ConversionError) throw new DatabaseUnavailable(settings.url, new Error(location.reason));
  if (location.engine === 'sqlite') return [await embedded(settings.url, location.file)];
  const shared = await serverOptions(location, settings, connectMillis);
  return location.hosts.map(({ name, port }) => ({ ...shared, host: name, port }));
}

async function embedded(url: string, file: string): Promise<DataSourceOptions> {
  const { NodeSqlite } = await import('./engines/node-sqlite.js');
  const database = file === ':memory:' ? file : resolve(file);
  try {
    // TypeORM would create the folder readable by all users.
    if (database !== ':memory:') createPrivateFile(database);
  } catch (error) {
    throw new DatabaseUnavailable(url, error);
  }
  return { ...COMMON, type: 'better-sqlite3', driver: NodeSqlite, database, timeout: BUSY_TIMEOUT_MILLIS };
}

async function serverOptions(
  location: DatabaseServer,
  settings: Settings,
  connectMillis: number,
): Promise<DataSourceOptions> {
  const { engine, database, utcOffset = 'Z', socketTimeoutMillis } = location;
  const connectTimeout = location.connectTimeoutMillis ?? connectMillis;
  const username = settings.username ?? location.username;
  const password = settings.password ?? location.password;
  return {
    ...COMMON,
    type: engine,
    database,
    ...withoutUndefined({ username, password }),
    timezone: utcOffset,
    // Like the embedded database: a number if it is exact, otherwise a text of digits.
    supportBigNumbers: true,
    bigNumberStrings: false,
    ...(connectTimeout > 0 && { connectTimeout }),
    ...(socketTimeoutMillis && { enableQueryTimeout: true, maxQueryExecutionTime: socketTimeoutMillis }),
    ...(location.tls !== 'off' && { ssl: tlsOptions(location.tls) }),
    ...(location.allowsPublicKeyRetrieval === false && { extra: { authPlugins: await withoutKeyRetrieval() } }),
  };
}

function tlsOptions(mode: Exclude<TlsMode, 'off'>): { rejectUnauthorized: boolean; verifyIdentity: boolean } {
  return { rejectUnauthorized: mode !== 'encrypted', verifyIdentity: mode === 'verify-identity' };
}

/** Authentication plugins that reject a public key sent without TLS, since its sender is not authenticated. */
async function withoutKeyRetrieval(): Promise<object> {
  const { authPlugins } = await import('mysql2');
  const onServerPublicKey = (): never => {
    throw new Error('the server offers its public key over an open connection and allowPublicKeyRetrieval is false');
  };
  return {
    caching_sha2_password: authPlugins.caching_sha2_password({ onServerPublicKey }),
    sha256_password: authPlugins.sha256_password({ onServerPublicKey }),
  };
}

/** Creates the file and its folder, readable by the owner only; SQLite gives its side files the same mode. */
export function createPrivateFile(file: string): void {
  makeFolderNow(dirname(resolve(file)), 0o700);
  closeSync(openSync(file, 'a', 0o600));
}
