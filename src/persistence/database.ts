import { resolve } from 'node:path';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { Mismatch } from '../config/mismatch.js';
import { DatabaseUnavailable } from './database-unavailable.js';
import type { DatasourceProperties } from './datasource.properties.js';
import type { TlsMode } from './jdbc-parameters.js';
import { type DatabaseServer, parseJdbcUrl } from './jdbc-url.js';
import { createPrivateFile } from './private-file.js';

/** Another process, such as a backup, may hold the file's lock for this long. */
const BUSY_TIMEOUT_MILLIS = 5000;

const COMMON = {
  entities: [],
  migrations: [],
  synchronize: false,
  logging: false,
  // Its other loggers write to the console even where logging is off; this one only where DEBUG asks for it.
  logger: 'debug',
} satisfies Partial<DataSourceOptions>;

type Settings = Readonly<Pick<DatasourceProperties, 'url' | 'username' | 'password'>>;

/** A data source that is connected; of several hosts the first that answers is used. */
export async function openDatabase(settings: Settings): Promise<DataSource> {
  let failure: unknown;
  for (const options of await dataSourceOptions(settings)) {
    try {
      return await new DataSource(options).initialize();
    } catch (error) {
      failure = error;
    }
  }
  throw new DatabaseUnavailable(settings.url, failure);
}

/** What TypeORM is told: one set of options for each host of the URL, in their order. */
export async function dataSourceOptions(settings: Settings): Promise<readonly DataSourceOptions[]> {
  const location = parseJdbcUrl(settings.url);
  if (location instanceof Mismatch) throw new DatabaseUnavailable(settings.url, new Error(location.reason));
  if (location.engine === 'sqlite') return [await embedded(settings.url, location.file)];
  const shared = await serverOptions(location, settings);
  return location.hosts.map(({ name, port }) => ({ ...shared, host: name, port }));
}

async function embedded(url: string, file: string): Promise<DataSourceOptions> {
  const { NodeSqlite } = await import('./node-sqlite.js');
  const database = file === ':memory:' ? file : resolve(file);
  try {
    // Before TypeORM, which would make the folder readable by everybody.
    if (database !== ':memory:') createPrivateFile(database);
  } catch (error) {
    throw new DatabaseUnavailable(url, error);
  }
  return { ...COMMON, type: 'better-sqlite3', driver: NodeSqlite, database, timeout: BUSY_TIMEOUT_MILLIS };
}

async function serverOptions(location: DatabaseServer, settings: Settings): Promise<DataSourceOptions> {
  const { engine, database, utcOffset = 'Z', connectTimeoutMillis, socketTimeoutMillis } = location;
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
    ...(connectTimeoutMillis !== undefined && { connectTimeout: connectTimeoutMillis }),
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
