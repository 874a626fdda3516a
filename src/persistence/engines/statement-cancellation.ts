import type { Connection, ConnectionOptions } from 'mysql2';
import { withoutUndefined } from '../../collections/without-undefined.js';
import { withTimeout } from '../../clock/with-timeout.js';
import type { Lease } from '../pool/connection-pool.js';
import type { ServerConnection } from './server-connection.js';

/** The server cancels most statements itself at their limit; the margin is the time for its response. */
const MARGIN_MILLIS = 1000;
/** Enough of a statement to recognise it. */
const MAX_RECOGNISED = 200;

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
 * up, so that no later unit of work uses it. Then the statement is killed from another connection, since a
 * server does not notice a closed connection before it responds. A statement whose connection was given up for another
 * reason is killed, too.
 */
export async function cancelledAfter<T>(
  limitMillis: number,
  { lease, sql }: { readonly lease: Lease<ServerConnection>; readonly sql: string },
  run: () => Promise<T>,
): Promise<T> {
  const giveUp = (): never => {
    lease.discard();
    throw new StatementTimeout();
  };
  try {
    return await withTimeout(run(), limitMillis + MARGIN_MILLIS, giveUp, { readsSocketsFirst: true });
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    // The caller has its error; without the kill, the limit of the server remains.
    if (typeof code === 'string' && code.startsWith('POOL_')) kill(lease.connection.driver, sql).catch(() => undefined);
    throw error;
  }
}

/**
 * Kills the whole connection, because statements that were sent together follow on it. Behind a balancer, the number of the
 * connection may be that of another one on another server, so the statement must be the same. A failure leaves it to the
 * limit of the server.
 */
async function kill({ config, threadId }: Connection, sql: string): Promise<void> {
  const { createConnection } = await import('mysql2');
  const killer = createConnection(addressOf(config));
  killer.on('error', () => undefined);
  const [start = ''] = sql.slice(0, MAX_RECOGNISED).split('?', 1);
  const values = [threadId, Array.from(start).length, start];
  const found = 'SELECT ID FROM information_schema.PROCESSLIST WHERE ID = ? AND LEFT(INFO, ?) = ?';
  killer.query(found, values, (error, rows) => {
    if (error || !Array.isArray(rows) || rows.length === 0) killer.destroy();
    else {
      killer.query('KILL ?', [threadId], () => {
        killer.destroy();
      });
    }
  });
}

/** The account and the server; the other options of a pooled connection do not matter here. */
function addressOf({
  host,
  port,
  user,
  password,
  ssl,
  authPlugins,
  connectTimeout,
}: ConnectionOptions): ConnectionOptions {
  return withoutUndefined({ host, port, user, password, ...(ssl && { ssl }), authPlugins, connectTimeout });
}
