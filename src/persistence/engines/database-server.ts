import type { Pool, PoolConnection } from 'mysql2';
import type { DataSource } from 'typeorm';
import type { DatabaseWatch } from '../database-instrumentation.js';
import type { PoolState } from '../pool/pool-meters.js';
import { ServerStatements } from './server-statements.js';
import { Silence, type WaitLimits } from './answer-timeout.js';
import type { Engine, Statements } from '../unit-of-work.js';

/** What the pool of `mysql2` keeps to itself. */
interface PoolInside {
  readonly config: { readonly connectionLimit: number };
  readonly _allConnections: { readonly length: number };
  readonly _freeConnections: { readonly length: number };
  readonly _connectionQueue: { readonly length: number };
}

/** MySQL or MariaDB behind the pool of connections that TypeORM keeps. */
export class DatabaseServer implements Engine {
  readonly tries = 8;
  private readonly pool: Pool;
  private readonly limits: WaitLimits;

  /** `longestWait` in milliseconds; 0 sets no limit. */
  constructor(
    dataSource: DataSource,
    private readonly watch: DatabaseWatch,
    longestWait: number,
  ) {
    this.pool = poolOf(dataSource);
    watch.pool.watch(() => stateOf(this.inside));
    const { maxQueryExecutionTime } = dataSource.options;
    const isStated = 'enableQueryTimeout' in dataSource.options && dataSource.options.enableQueryTimeout;
    this.limits = { connection: longestWait, statement: isStated ? maxQueryExecutionTime : undefined };
  }

  transaction<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    return this.withConnection(async (statements) => {
      await statements.control('START TRANSACTION');
      try {
        const result = await work(statements);
        await statements.control('COMMIT');
        return result;
      } catch (error) {
        await statements.takeBack();
        throw error;
      }
    });
  }

  autocommit<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    return this.withConnection(work);
  }

  private async withConnection<T>(work: (statements: ServerStatements) => Promise<T>): Promise<T> {
    const { pool, statements } = this.watch;
    const silence = new Silence(this.limits);
    const connection = await this.connected(silence);
    const taken = performance.now();
    try {
      return await work(new ServerStatements(connection, silence, statements));
    } finally {
      connection.release();
      pool.released(taken);
    }
  }

  private async connected(silence: Silence): Promise<PoolConnection> {
    const { pool } = this.watch;
    const asked = performance.now();
    const before = this.inside._allConnections.length;
    let hasGrown = false;
    let hasGivenUp = false;
    try {
      const connection = await silence.connection(
        () =>
          new Promise<PoolConnection>((resolve, reject) => {
            this.pool.getConnection((error, lent) => {
              if (error) reject(error);
              else if (hasGivenUp) lent.release();
              else resolve(lent);
            });
            // Whoever finds none free opens one at once, or stands in line.
            hasGrown = this.inside._allConnections.length > before;
          }),
      );
      pool.acquired(asked, hasGrown);
      return connection;
    } catch (error) {
      hasGivenUp = true;
      pool.gotNone();
      throw error;
    }
  }

  private get inside(): PoolInside {
    return this.pool as unknown as PoolInside;
  }
}

/** It keeps no connection open that is not in use. */
function stateOf(pool: PoolInside): PoolState {
  return {
    open: pool._allConnections.length,
    idle: pool._freeConnections.length,
    pending: pool._connectionQueue.length,
    least: 0,
    most: pool.config.connectionLimit,
  };
}

/** The driver of TypeORM for a single server holds one pool of `mysql2`. */
export function poolOf(dataSource: DataSource): Pool {
  return (dataSource.driver as unknown as { readonly pool: Pool }).pool;
}
