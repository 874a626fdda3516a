import type { Logger } from '../../logging/logger.js';
import type { ServerPool } from './server-pool.js';

interface Limits {
  /** Seconds after which the server closes an unused connection. */
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
    const limits = await read(pool);
    const waitMillis = limits.wait_timeout * 1000;
    if (maxLifetime === 0 || maxLifetime >= waitMillis) {
      logger.warn(
        'app.datasource.pool.max-lifetime is not below wait_timeout of the database server, which closes idle connections',
        { pool: name, maxLifetimeMillis: maxLifetime, waitTimeoutMillis: waitMillis },
      );
    }
    // The connections of other instances are those that this one does not have.
    const others = Math.max(0, limits.own - pool.state.open);
    if (others + maximumPoolSize > limits.max_connections) {
      logger.warn(
        'app.datasource.pool.maximum-pool-size, together with other connections of the account, exceeds max_connections',
        { pool: name, maximumPoolSize, others, maxConnections: limits.max_connections },
      );
    }
  } catch (error) {
    logger.warn('The limits of the database server could not be read', { pool: name, error });
  }
}

async function read(pool: ServerPool): Promise<Limits> {
  const lease = await pool.borrow();
  try {
    const [limits] = (await lease.connection.query(READ)) as readonly Limits[];
    if (!limits) throw new TypeError('a SELECT without tables has one row');
    return limits;
  } finally {
    lease.release();
  }
}
