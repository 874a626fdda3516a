import type { Pool, PoolConnection } from 'mysql2';
import type { DataSource } from 'typeorm';
import type { DatabaseInstrumentation } from '../database-instrumentation.js';
import type { PoolState } from '../pool/pool-meters.js';
import { ServerStatements } from './server-statements.js';
import { ResponseDeadline, type WaitLimits } from './response-deadline.js';
import type { Engine, Statements } from '../unit-of-work.js';

/** Private fields of the pool of `mysql2`. */
interface PoolInside {
  readonly config: { readonly connectionLimit: number };
  readonly _allConnections: { readonly length: number };
  readonly _freeConnections: { readonly length: number };
  readonly _connectionQueue: { readonly length: number };
}

/** MySQL or MariaDB, through the connection pool of TypeORM. */
export class DatabaseServer implements Engine {
  readonly maxAttempts = 12;
  private readonly pool: Pool;
  private readonly limits: WaitLimits;

  /** `maxWait` in milliseconds; 0 sets no limit. */
  constructor(
    dataSource: DataSource,
    private readonly instrumentation: DatabaseInstrumentation,
    maxWait: number,
  ) {
    this.pool = poolOf(dataSource);
    instrumentation.pool.observe(() => stateOf(this.inside));
    const { maxQueryExecutionTime } = dataSource.options;
    const isStated = 'enableQueryTimeout' in dataSource.options && dataSource.options.enableQueryTimeout;
    this.limits = { connection: maxWait, statement: isStated ? maxQueryExecutionTime : undefined };
  }

  transaction<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    return this.withConnection(async (statements) => {
      try {
        // The first statements of the work are sent in the same write.
        const [begun, worked] = await Promise.allSettled([statements.begin(), work(statements)]);
        if (worked.status === 'rejected') throw worked.reason;
        if (begun.status === 'rejected') throw begun.reason;
        await statements.commit();
        return worked.value;
      } catch (error) {
        await statements.rollback();
        throw error;
      }
    });
  }

  autocommit<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    return this.withConnection(work);
  }

  private async withConnection<T>(work: (statements: ServerStatements) => Promise<T>): Promise<T> {
    const { pool, statements } = this.instrumentation;
    const deadline = new ResponseDeadline(this.limits);
    const connection = await this.connect(deadline);
    const taken = performance.now();
    try {
      return await work(new ServerStatements(connection, deadline, statements));
    } finally {
      connection.release();
      pool.released(taken);
    }
  }

  private async connect(deadline: ResponseDeadline): Promise<PoolConnection> {
    const { pool } = this.instrumentation;
    const asked = performance.now();
    const before = this.inside._allConnections.length;
    let hasGrown = false;
    let hasGivenUp = false;
    try {
      const connection = await deadline.connection(
        () =>
          new Promise<PoolConnection>((resolve, reject) => {
            this.pool.getConnection((error, lent) => {
              if (error) reject(error);
              else if (hasGivenUp) lent.release();
              else resolve(lent);
            });
            // The pool has opened a connection at once unless one was free or the limit is reached.
            hasGrown = this.inside._allConnections.length > before;
          }),
      );
      pool.acquired(asked, hasGrown);
      return connection;
    } catch (error) {
      hasGivenUp = true;
      pool.timedOut();
      throw error;
    }
  }

  private get inside(): PoolInside {
    return this.pool as unknown as PoolInside;
  }
}

/** The pool of `mysql2` has no minimum size. */
function stateOf(pool: PoolInside): PoolState {
  return {
    open: pool._allConnections.length,
    idle: pool._freeConnections.length,
    pending: pool._connectionQueue.length,
    min: 0,
    max: pool.config.connectionLimit,
  };
}

/** TypeORM's driver for a single server has one pool of `mysql2`. */
export function poolOf(dataSource: DataSource): Pool {
  return (dataSource.driver as unknown as { readonly pool: Pool }).pool;
}
