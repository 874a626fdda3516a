import type { Logger } from '../../../observability/logging/logger.js';
import type { PoolSettings } from '../pool/pool-settings.js';
import type { ServerPool } from './server-pool.js';

/** Limits of a server, and how much of them the account of the service uses. */
export interface ServerLimits {
  /** Time after which the server closes an unused connection. */
  readonly waitTimeoutMillis: number;
  readonly maxConnections: number;
  /** Connections of this account to the server besides those of the pool. */
  readonly others: number;
}

interface LimitsRow {
  /** In seconds. */
  readonly wait_timeout: number;
  readonly max_connections: number;
  /** Connections of this account to the server, including those of this process. */
  readonly own: number;
}

const READ = `SELECT @@SESSION.wait_timeout AS wait_timeout, @@GLOBAL.max_connections AS max_connections,
  (SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE USER = SUBSTRING_INDEX(CURRENT_USER(), '@', 1)) AS own`;

/** Warns if the settings of the pool do not fit those of the server (specification, "Configuration rules", rule 4). */
export async function reportLimits(pool: ServerPool, logger: Logger): Promise<void> {
  const { name, maxLifetime, maximumPoolSize } = pool.settings;
  try {
    const limits = await readLimits(pool);
    const { waitTimeoutMillis, maxConnections, others } = limits;
    if (isLifetimeTooLong(pool.settings, limits)) {
      logger.warn(
        'app.datasource.pool.max-lifetime is not below wait_timeout of the database server, which closes idle connections',
        { pool: name, maxLifetimeMillis: maxLifetime, waitTimeoutMillis },
      );
    }
    if (isPoolTooLarge(pool.settings, limits)) {
      logger.warn(
        'app.datasource.pool.maximum-pool-size, together with other connections of the account, exceeds max_connections',
        { pool: name, maximumPoolSize, others, maxConnections },
      );
    }
  } catch (error) {
    logger.warn('The limits of the database server could not be read', { pool: name, error });
  }
}

export function isLifetimeTooLong({ maxLifetime }: PoolSettings, { waitTimeoutMillis }: ServerLimits): boolean {
  return maxLifetime === 0 || maxLifetime >= waitTimeoutMillis;
}

export function isPoolTooLarge({ maximumPoolSize }: PoolSettings, { others, maxConnections }: ServerLimits): boolean {
  return others + maximumPoolSize > maxConnections;
}

/** Asks the server on a connection of the pool. */
export async function readLimits(pool: ServerPool): Promise<ServerLimits> {
  const lease = await pool.borrow();
  let row: LimitsRow | undefined;
  try {
    [row] = (await lease.connection.query(READ)) as readonly LimitsRow[];
  } finally {
    lease.release();
  }
  if (!row) throw new TypeError('a SELECT without tables has one row');
  // The connections of other instances are those that this one does not have.
  const others = Math.max(0, row.own - pool.state.open);
  return { waitTimeoutMillis: row.wait_timeout * 1000, maxConnections: row.max_connections, others };
}
