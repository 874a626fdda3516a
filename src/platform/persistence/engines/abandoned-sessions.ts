import { setTimeout as wait } from 'node:timers/promises';
import { withTimeout } from '../../../kernel/clock/with-timeout.js';
import type { PoolableConnection } from '../pool/connection-pool.js';
import { isServerError } from './driver-failure.js';

/** A session as its server lists it. Behind a balancer, another server may have a session of the same number. */
export interface ServerSession {
  readonly id: number;
  /** Address and port of the client, as the server sees them. */
  readonly client: string;
}

/** A connection of the service to the server of the sessions. */
type QueryConnection = Pick<PoolableConnection, 'destroy'> & { query(sql: string): Promise<unknown> };

interface Due {
  readonly ended: () => void;
  /** Reading of `performance.now` after which no further connection to a server that refuses them is tried. */
  readonly until: number;
}

/** Limit for the server to accept a connection, and for each of its responses. */
export const END_LIMIT_MILLIS = 2000;
/** The server needs a moment for the end of a session, and long if it rolls back many rows. */
const DELAY_MILLIS = 20;
const DELAY_AFTER_REFUSAL_MILLIS = 500;
const REFUSAL_LIMIT_MILLIS = 60_000;

/**
 * Ends the sessions of one server whose connections were given up while a statement was running. The server notices a closed
 * connection only after the statement, which may wait for a lock for a day. One connection at a time ends all that are due.
 */
export class AbandonedSessions {
  private readonly due = new Map<ServerSession, Due>();
  private isAtWork = false;

  constructor(private readonly open: () => Promise<QueryConnection>) {}

  /** Resolves once the server does not have the session any more, or does not respond. */
  end(session: ServerSession): Promise<void> {
    return new Promise((ended) => {
      this.due.set(session, { ended, until: performance.now() + REFUSAL_LIMIT_MILLIS });
      if (!this.isAtWork) void this.endAll();
    });
  }

  private async endAll(): Promise<void> {
    this.isAtWork = true;
    while (this.due.size > 0) {
      try {
        const connection = await this.open();
        try {
          await this.endBy(connection);
        } finally {
          void connection.destroy();
        }
      } catch (error) {
        // A server that has too many connections, say, still has the sessions. One that does not respond gets no new ones.
        const now = isServerError(error) ? performance.now() : Infinity;
        for (const [session, { until }] of this.due) if (until < now) this.settle(session);
        await wait(DELAY_AFTER_REFUSAL_MILLIS, undefined, { ref: false });
      }
    }
    this.isAtWork = false;
  }

  private async endBy(connection: QueryConnection): Promise<void> {
    while (this.due.size > 0) {
      const sessions = [...this.due.keys()];
      const left = await withTimeout(killed(connection, sessions), END_LIMIT_MILLIS, throwTimeout);
      for (const session of sessions) if (!left.has(session)) this.settle(session);
      if (this.due.size > 0) await wait(DELAY_MILLIS, undefined, { ref: false });
    }
  }

  private settle(session: ServerSession): void {
    this.due.get(session)?.ended();
    this.due.delete(session);
  }
}

/** Ends the sessions that the server still has, and returns them. */
async function killed(
  connection: QueryConnection,
  sessions: readonly ServerSession[],
): Promise<ReadonlySet<ServerSession>> {
  const numbers = sessions.map(({ id }) => id).join(', ');
  const listed = await connection.query(
    `SELECT ID AS id, HOST AS client FROM information_schema.PROCESSLIST WHERE ID IN (${numbers})`,
  );
  const rows = listed as readonly ServerSession[];
  const left = sessions.filter(({ id, client }) => rows.some((row) => row.id === id && row.client === client));
  // A session that ends meanwhile makes its statement fail.
  for (const { id } of left) await connection.query(`KILL ${id}`).catch(() => undefined);
  return new Set(left);
}

function throwTimeout(): never {
  throw new Error('the server did not answer in time');
}
