import type { DatabaseInstrumentation } from '../database-instrumentation.js';
import type { Dialect } from '../dialect.js';
import type { Engine, Statements } from '../unit-of-work.js';
import { ResponseDeadline, type WaitLimits } from './response-deadline.js';
import type { ServerConnection } from './server-connection.js';
import type { ServerPool } from './server-pool.js';
import { ServerStatements } from './server-statements.js';

/** MySQL or MariaDB. */
export class DatabaseServer implements Engine {
  readonly maxAttempts = 12;
  private readonly limits: WaitLimits;

  /** `socketTimeoutMillis` limits the response to every statement if the URL of the database sets it. */
  constructor(
    private readonly pool: ServerPool,
    private readonly instrumentation: DatabaseInstrumentation,
    readonly dialect: Dialect,
    socketTimeoutMillis?: number,
  ) {
    pool.addMeters(instrumentation.pool);
    this.limits = { request: pool.settings.connectionTimeout, statement: socketTimeoutMillis };
  }

  transaction<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    return this.withConnection('off', async (statements) => {
      try {
        // The first statements of the work are sent in the same write.
        const [begun, worked] = await Promise.allSettled([statements.begin(), work(statements)]);
        // First: without its transaction, the work may have decided by outdated rows.
        if (begun.status === 'rejected') throw begun.reason;
        if (worked.status === 'rejected') throw worked.reason;
        await statements.commit();
        return worked.value;
      } catch (error) {
        await statements.rollback();
        throw error;
      }
    });
  }

  autocommit<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    return this.withConnection('on', async (statements, { autocommit }) => {
      if (autocommit === 'on') return work(statements);
      // The first statements of the work are sent in the same write.
      const [set, worked] = await Promise.allSettled([statements.commitEach(), work(statements)]);
      if (worked.status === 'rejected') throw worked.reason;
      if (set.status === 'rejected') throw set.reason;
      return worked.value;
    });
  }

  /** Prefers a connection on which autocommit is in that mode, so that no statement has to change it. */
  private async withConnection<T>(
    autocommit: ServerConnection['autocommit'],
    work: (statements: ServerStatements, connection: ServerConnection) => Promise<T>,
  ): Promise<T> {
    const deadline = new ResponseDeadline(this.limits);
    const prefers = (connection: ServerConnection): boolean => connection.autocommit === autocommit;
    const lease = await deadline.connection(() => this.pool.borrow({ prefers }));
    const leave = (): void => {
      this.pool.leave(lease.connection.host);
    };
    const statements = new ServerStatements(lease, deadline, this.instrumentation.statements, leave);
    try {
      return await work(statements, lease.connection);
    } finally {
      statements.end();
    }
  }
}
