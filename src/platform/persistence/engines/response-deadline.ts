import { withTimeout } from '../../../kernel/clock/with-timeout.js';
import { PoolTimeout } from '../pool/connection-pool.js';
import { type RequestContext, requestContext } from '../../../kernel/principal/request-context.js';

/** Limits in milliseconds; 0 sets no limit. */
export interface WaitLimits {
  /** Limit for the response to a statement of a request. */
  readonly request: number;
  /** Limit for the response to any statement, if the URL of the database sets it (`socketTimeout`). */
  readonly statement?: number | undefined;
}

/** Limit of a statement outside of requests, since a task or a command may take long. */
const DEFAULT_LIMIT_MILLIS = 60_000;
/** Minimum limit of the first statement on a connection that was obtained late. */
const MIN_LIMIT_MILLIS = 100;

/** Requests that have reached their limit. */
const timedOut = new WeakSet<RequestContext>();

/** The prefix of the code classifies it as a failure of the database, so that callers get `UNAVAILABLE`. */
export class ResponseTimeout extends Error {
  readonly code = 'POOL_SILENT';

  constructor() {
    super('the database did not answer in time');
    this.name = 'ResponseTimeout';
  }
}

/**
 * Limits how long one unit of work waits for an unresponsive database server. The wait for a connection and for the first
 * response on it share one limit. Once a request has reached its limit, its further statements, such as the refund of an
 * attempt, fail at once.
 */
export class ResponseDeadline {
  private readonly facts = requestContext();
  private waitedForConnection = 0;

  constructor(private readonly limits: WaitLimits) {}

  /**
   * Borrows a connection; the pool limits the wait.
   * @throws PoolTimeout, or ResponseTimeout at once if the request has reached its limit before
   */
  async connection<T>(borrow: () => Promise<T>): Promise<T> {
    if (this.facts && timedOut.has(this.facts)) throw new ResponseTimeout();
    const begun = performance.now();
    try {
      const connection = await borrow();
      this.waitedForConnection = performance.now() - begun;
      return connection;
    } catch (error) {
      if (this.facts && error instanceof PoolTimeout) timedOut.add(this.facts);
      throw error;
    }
  }

  /** @throws ResponseTimeout */
  async response<T>(run: () => Promise<T>): Promise<T> {
    const limit = this.limits.statement ?? (this.facts ? this.limits.request : DEFAULT_LIMIT_MILLIS);
    const response = await this.within(limit && Math.max(limit - this.waitedForConnection, MIN_LIMIT_MILLIS), run);
    this.waitedForConnection = 0;
    return response;
  }

  private within<T>(limit: number, attempt: () => Promise<T>): Promise<T> {
    if (this.facts && timedOut.has(this.facts)) return Promise.reject(new ResponseTimeout());
    if (limit === 0) return attempt();
    const giveUp = (): never => {
      if (this.facts) timedOut.add(this.facts);
      throw new ResponseTimeout();
    };
    return withTimeout(attempt(), limit, giveUp, { readsSocketsFirst: true });
  }
}
