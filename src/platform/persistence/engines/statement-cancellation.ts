import { withTimeout } from '../../../kernel/clock/with-timeout.js';
import type { Lease } from '../pool/connection-pool.js';
import type { ServerConnection } from './server-connection.js';

/** The server cancels most statements itself at their limit; the margin is the time for its response. */
const MARGIN_MILLIS = 1000;

/** The prefix of the code classifies it as a failure of the database, so that callers get `UNAVAILABLE`. */
class StatementTimeout extends Error {
  readonly code = 'POOL_STATEMENT_TIMEOUT';

  constructor() {
    super('the statement exceeded its limit, and the server did not cancel it');
    this.name = 'StatementTimeout';
  }
}

/**
 * Runs a statement that must not run longer than its limit. A connection on which it still runs after the margin is given
 * up, so that no later unit of work uses it, and its session is ended.
 */
export function cancelledAfter<T>(
  limitMillis: number,
  lease: Lease<ServerConnection>,
  run: () => Promise<T>,
): Promise<T> {
  const giveUp = (): never => {
    lease.discard();
    throw new StatementTimeout();
  };
  return withTimeout(run(), limitMillis + MARGIN_MILLIS, giveUp, { readsSocketsFirst: true });
}
