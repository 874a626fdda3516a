import type { Connection } from 'mysql2';
import type { Lease } from '../pool/connection-pool.js';
import type { ServerConnection } from './server-connection.js';
import type { ServerPool } from './server-pool.js';

type Callback = (error: Error | null, connection?: Connection) => void;

/**
 * Takes the place of the package `mysql2` for TypeORM, which runs the migrations, so that these use the pool of the stores:
 * it has the functions that the driver of TypeORM calls.
 */
export class TypeormDriver {
  constructor(readonly pool: ServerPool) {}

  createPool(): object {
    return {
      getConnection: (callback: Callback) => {
        this.lent().then(
          (connection) => {
            callback(null, connection);
          },
          (error: unknown) => {
            callback(error as Error);
          },
        );
      },
      end: (callback: (error?: unknown) => void) => {
        this.pool.close().then(() => {
          callback();
        }, callback);
      },
    };
  }

  private async lent(): Promise<Connection> {
    const lease = await this.pool.borrow();
    try {
      await lease.connection.commitEach();
    } catch (error) {
      lease.discard();
      throw error;
    }
    return releasing(lease);
  }
}

/** A connection returns to the pool by a method of its own there. */
function releasing(lease: Lease<ServerConnection>): Connection {
  const { driver } = lease.connection;
  return Object.assign(driver, {
    release: () => {
      lease.release();
    },
  });
}
