import { resolve } from 'node:path';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { ConversionError } from '../config/bind/conversion-error.js';
import { poolOf } from './engines/database-server.js';
import { DatabaseUnavailable } from './engines/database-unavailable.js';
import type { DatasourceProperties } from './datasource.properties.js';
import type { TlsMode } from './jdbc/jdbc-parameters.js';
import { type DatabaseServer, parseJdbcUrl } from './jdbc/jdbc-url.js';
import { migrate } from './migrations/migrate.js';
import { MIGRATIONS } from './migrations/migrations.js';
import { createPrivateFile } from './engines/private-file.js';

/** While it starts, a process waits this long for another one that holds the file's lock. */
const BUSY_TIMEOUT_MILLIS = 5000;
/** Later nothing else would be done in such a wait, so that units of work are tried again instead. */
const BUSY_TIMEOUT_OF_REQUESTS_MILLIS = 20;

const COMMON = {
  entities: [],
  migrations: [...MIGRATIONS],
  synchronize: false,
  logging: false,
  // Its other loggers write to the console even where logging is off; this one only where DEBUG asks for it.
  logger: 'debug',
} satisfies Partial<DataSourceOptions>;

const SESSION = ['SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED', 'SET SESSION innodb_lock_wait_timeout = 3'];

type Settings = Readonly<Pick<DatasourceProperties, 'url' | 'username' | 'password'>>;

/**
 * A data source that is connected, with its schema up to date; of several hosts the first that answers is used. The URL
 * may state another limit than `connectMillis` for a connection; 0 leaves it to the driver.
 */
export async function openDatabase(settings: Settings, connectMillis = 0): Promise<DataSource> {
  const dataSource = await connect(settings, connectMillis);
  try {
    await migrate(dataSource);
    if (dataSource.options.type === 'better-sqlite3') {
      await dataSource.query(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_OF_REQUESTS_MILLIS}`);
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
 * READ COMMITTED locks the rows a statement changes and no gaps between them, so that transactions of different users
 * do not meet; a lock that does not come within seconds is better reported than waited for.
 */
async function prepareConnections(dataSource: DataSource): Promise<void> {
  poolOf(dataSource).on('connection', (connection) => {
    for (const sql of SESSION) connection.query(sql, () => undefined);
  });
  // The one connection that is already there has to be told, too.
  for (const sql of SESSION) await dataSource.query(sql);
}

/** What TypeORM is told: one set of options for each host of the URL, in their order. */
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
    // Before TypeORM, which would make the folder readable by everybody.
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
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    timezone: utcOffset,
    // Numbers where they are exact, digits beyond: what the embedded database gives.
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

/** Login plugins that refuse a public key sent over an open connection: who sends it could be anybody. */
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
