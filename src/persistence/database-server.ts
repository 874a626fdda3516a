import type { Pool, PoolConnection } from 'mysql2';
import type { DataSource } from 'typeorm';
import { ServerStatements } from './server-statements.js';
import type { Engine, Statements } from './unit-of-work.js';

/** MySQL or MariaDB behind the pool of connections that TypeORM keeps. */
export class DatabaseServer implements Engine {
  readonly tries = 8;
  private readonly pool: Pool;
  private readonly timeout: number | undefined;

  constructor(dataSource: DataSource) {
    this.pool = poolOf(dataSource);
    const { maxQueryExecutionTime } = dataSource.options;
    const limits = 'enableQueryTimeout' in dataSource.options && dataSource.options.enableQueryTimeout;
    this.timeout = limits ? maxQueryExecutionTime : undefined;
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
    const connection = await this.connected();
    try {
      return await work(new ServerStatements(connection, this.timeout));
    } finally {
      connection.release();
    }
  }

  private connected(): Promise<PoolConnection> {
    return new Promise((resolve, reject) => {
      this.pool.getConnection((error, connection) => {
        if (error) reject(error);
        else resolve(connection);
      });
    });
  }
}

/** The driver of TypeORM for a single server holds one pool of `mysql2`. */
export function poolOf(dataSource: DataSource): Pool {
  return (dataSource.driver as unknown as { readonly pool: Pool }).pool;
}
