import { withTimeout } from '../../clock/with-timeout.js';
import { type RequestContext, requestContext } from '../../principal/request-context.js';

/** In milliseconds; 0 sets no limit. */
export interface WaitLimits {
  /** For a connection, and in a request also for the answer to a statement. */
  readonly connection: number;
  /** For the answer to any statement, where the URL of the database states it (`socketTimeout`). */
  readonly statement?: number | undefined;
}

/** Of a statement outside of requests: one of a task or a command may be long and alive. */
const LONG_MILLIS = 60_000;
/** Time that a late connection still gets for its first statement. */
const LEAST_MILLIS = 100;

/** Requests that have met their limit. */
const givenUp = new WeakSet<RequestContext>();

/** The prefix of the code makes it a failure of the database, so callers get `UNAVAILABLE`. */
export class SilentDatabase extends Error {
  readonly code = 'POOL_SILENT';

  constructor() {
    super('the database did not answer in time');
    this.name = 'SilentDatabase';
  }
}

/**
 * Limits how long one unit of work waits for a database server that does not answer. The wait for a connection and for
 * the first answer on it share one limit. A request that has met its limit never waits again: what it still asks of the
 * database, such as to take back an attempt, fails at once.
 */
export class Silence {
  private readonly facts = requestContext();
  private waitedForConnection = 0;

  constructor(private readonly limits: WaitLimits) {}

  /** The connection, or `SilentDatabase`. */
  async connection<T>(open: () => Promise<T>): Promise<T> {
    const begun = performance.now();
    const connection = await this.within(this.limits.connection, open);
    this.waitedForConnection = performance.now() - begun;
    return connection;
  }

  /** The answer to a statement, or `SilentDatabase`. */
  async answer<T>(ask: () => Promise<T>): Promise<T> {
    const limit = this.limits.statement ?? (this.facts ? this.limits.connection : LONG_MILLIS);
    const answer = await this.within(limit && Math.max(limit - this.waitedForConnection, LEAST_MILLIS), ask);
    this.waitedForConnection = 0;
    return answer;
  }

  private async within<T>(limit: number, attempt: () => Promise<T>): Promise<T> {
    if (this.facts && givenUp.has(this.facts)) throw new SilentDatabase();
    if (limit === 0) return attempt();
    const giveUp = (): never => {
      if (this.facts) givenUp.add(this.facts);
      throw new SilentDatabase();
    };
    return withTimeout(attempt(), limit, giveUp, { readsSocketsFirst: true });
  }
}
