import { closeSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { ConversionProblem } from '../../config/problem.js';
import type { Logger } from '../../observability/logging/logger.js';
import { Loggers } from '../../observability/logging/loggers.js';
import { type Random, SystemRandom } from '../../kernel/random/random.js';
import { DatabaseInstrumentation } from './database-instrumentation.js';
import { dialectOf } from './dialect.js';
import { withoutDual } from './engines/database-probe.js';
import { DatabaseServer } from './engines/database-server.js';
import { DatabaseUnavailable } from './engines/database-unavailable.js';
import { classifyFailure, driverCode } from './engines/driver-failure.js';
import { processTimeZone } from '../../config/read/process-inputs.js';
import { EmbeddedDatabase } from './engines/embedded-database.js';
import { sessionTimeZone } from './engines/session-time-zone.js';
import { ServerConnector } from './engines/server-connector.js';
import { ServerPool } from './engines/server-pool.js';
import { connectionOptions, type DatabaseAccount } from './engines/server-options.js';
import { TypeormDriver } from './engines/typeorm-driver.js';
import type { DatabaseSettings } from './database-address.js';
import { type JdbcServer, type Host, parseJdbcUrl } from './jdbc/jdbc-url.js';
import { migrate, migrationClasses } from './migrations/migrations.js';
import { TestQueryFailure } from './pool/test-query-failure.js';
import { adjustedSettings, type PoolSettings } from './pool/pool-settings.js';
import { SchemaFailure } from './migrations/schema-failure.js';
import { makeFolderNow } from '../../kernel/files/make-folder.js';
import { UnitOfWork } from './unit-of-work.js';

/** The time for which startup waits for another process that locks the file. */
const BUSY_TIMEOUT_MILLIS = 5000;
/** `busy_timeout` after startup: a longer wait would block the event loop, so units of work are retried instead. */
const REQUEST_BUSY_TIMEOUT_MILLIS = 20;

const COMMON = {
  synchronize: false,
  logging: false,
  // TypeORM's other loggers write to the console even if logging is off; this one only if `DEBUG` enables it.
  logger: 'debug',
} satisfies Partial<DataSourceOptions>;

/** Settings for the connections to a database server; the embedded database has one connection. */
export interface PoolOptions {
  readonly settings?: Partial<PoolSettings>;
  readonly testQuery?: string | undefined;
  readonly random?: Random;
  readonly logger?: Logger;
  /** Time zone of sessions if the URL has none; by default that of this process. */
  readonly processZone?: string;
}

/** Connects to the first host that responds and prepares the schema. */
export async function openDatabase(
  settings: DatabaseSettings,
  pool: PoolOptions = {},
  prepare: (dataSource: DataSource) => Promise<unknown> = migrate,
): Promise<DataSource> {
  const dataSource = await connect(settings, pool);
  try {
    await prepare(dataSource);
    await tryTestQuery(dataSource, pool.testQuery);
    if (dataSource.options.type === 'better-sqlite3') {
      await dataSource.query(`PRAGMA busy_timeout = ${REQUEST_BUSY_TIMEOUT_MILLIS}`);
    }
    return dataSource;
  } catch (error) {
    await dataSource.destroy();
    if (error instanceof SchemaFailure || error instanceof TestQueryFailure) throw error;
    throw new DatabaseUnavailable(settings.url, error);
  }
}

/** Runs the test query once the tables that it may read exist; reports an outage at this moment as an outage. */
async function tryTestQuery(dataSource: DataSource, query: string | undefined): Promise<void> {
  // An empty key counts as unset.
  if (!query) return;
  const pool = poolOf(dataSource);
  try {
    await dataSource.query(pool ? query : withoutDual(query));
  } catch (error) {
    if (classifyFailure(error) !== undefined) throw error;
    throw new TestQueryFailure(query, driverCode(error), error);
  }
}

async function connect(settings: DatabaseSettings, options: PoolOptions): Promise<DataSource> {
  const dataSource = new DataSource(await dataSourceOptions(settings, options));
  const pool = poolOf(dataSource);
  try {
    await pool?.openFirst();
    return await dataSource.initialize();
  } catch (error) {
    await pool?.close();
    throw new DatabaseUnavailable(settings.url, error);
  }
}

/** Opens the pool of a database server with one connection, for a caller that needs no stores. */
export async function openPool(settings: DatabaseSettings, options: PoolOptions): Promise<ServerPool> {
  const pool = poolOf(new DataSource(await dataSourceOptions(settings, options)));
  if (!pool) throw new TypeError('the embedded database has no pool');
  await pool.openFirst();
  return pool;
}

/** Options of TypeORM; those of a database server include a pool that has no connection yet. */
export async function dataSourceOptions(
  settings: DatabaseSettings,
  pool: PoolOptions = {},
): Promise<DataSourceOptions> {
  const location = parseJdbcUrl(settings.url);
  if (location instanceof ConversionProblem) throw new DatabaseUnavailable(settings.url, new Error(location.reason));
  if (location.engine === 'sqlite') return embedded(settings.url, location.file);
  return serverOptions(location, settings, pool);
}

/** The connections to one host of a URL. */
export interface HostPool {
  readonly host: Host;
  readonly pool: ServerPool;
}

/** Creates a pool without a connection for each host of the URL; returns none for the embedded database. */
export async function poolsByHost(settings: DatabaseSettings, options: PoolOptions): Promise<readonly HostPool[]> {
  const location = parseJdbcUrl(settings.url);
  if (location instanceof ConversionProblem || location.engine === 'sqlite') return [];
  return Promise.all(
    location.hosts.map(async (host) => ({
      host,
      pool: await serverPool({ ...location, hosts: [host] }, settings, options),
    })),
  );
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
  return {
    ...COMMON,
    migrations: migrationClasses(),
    type: 'better-sqlite3',
    driver: NodeSqlite,
    database,
    timeout: BUSY_TIMEOUT_MILLIS,
  };
}

async function serverOptions(
  location: JdbcServer,
  account: DatabaseAccount,
  options: PoolOptions,
): Promise<DataSourceOptions> {
  const { engine, database, utcOffset = 'Z', socketTimeoutMillis } = location;
  return {
    ...COMMON,
    migrations: migrationClasses(),
    type: engine,
    database,
    timezone: utcOffset,
    driver: new TypeormDriver(await serverPool(location, account, options)),
    ...(socketTimeoutMillis && { enableQueryTimeout: true, maxQueryExecutionTime: socketTimeoutMillis }),
  };
}

async function serverPool(
  location: JdbcServer,
  account: DatabaseAccount,
  {
    settings: configured = {},
    testQuery,
    random = new SystemRandom(),
    logger = new Loggers().get('persistence'),
    processZone = processTimeZone(),
  }: PoolOptions,
): Promise<ServerPool> {
  const { hosts, connectTimeoutMillis } = location;
  const { settings } = adjustedSettings(configured);
  // A caller waits long enough to try every host.
  const limitMillis = connectTimeoutMillis ?? Math.ceil(settings.connectionTimeout / hosts.length);
  const driver = await connectionOptions(location, account);
  const connector = new ServerConnector({
    hosts,
    driver,
    limitMillis,
    testQuery,
    timeZone: sessionTimeZone(location.timeZone, processZone),
  });
  return new ServerPool(connector, { settings, random, logger });
}

/** Creates the file and its folder, readable by the owner only; SQLite gives its side files the same mode. */
function createPrivateFile(file: string): void {
  makeFolderNow(dirname(resolve(file)), 0o700);
  closeSync(openSync(file, 'a', 0o600));
}

/** Returns the connections to a database server; undefined for the embedded database. */
export function poolOf({ options }: DataSource): ServerPool | undefined {
  const driver: unknown = 'driver' in options ? options.driver : undefined;
  return driver instanceof TypeormDriver ? driver.pool : undefined;
}

/** Returns the limit for responses that the URL sets, in milliseconds. */
export function socketTimeoutOf({ options }: DataSource): number | undefined {
  return 'enableQueryTimeout' in options && options.enableQueryTimeout ? options.maxQueryExecutionTime : undefined;
}

/** Runs the statements of the service on an open database. */
export function unitOfWork(
  dataSource: DataSource,
  random: Random = new SystemRandom(),
  instrumentation: DatabaseInstrumentation = new DatabaseInstrumentation(),
): UnitOfWork {
  const pool = poolOf(dataSource);
  const engine = pool
    ? new DatabaseServer(
        pool,
        instrumentation,
        dialectOf(`jdbc:${dataSource.options.type}`),
        socketTimeoutOf(dataSource),
      )
    : new EmbeddedDatabase(dataSource, instrumentation);
  return new UnitOfWork(engine, random, instrumentation.retries, dataSource);
}
