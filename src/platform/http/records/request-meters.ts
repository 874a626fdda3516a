import type { ErrorCode } from '../../../kernel/errors/error-code.js';
import type { Family, Meters } from '../../../observability/metrics/meters.js';
import type { LongTaskTimer, Timer } from '../../../observability/metrics/meter.js';
import type { RequestLifecycle } from '../admission/request-tracker.js';
import { KNOWN_METHODS, sentMethod, CONNECT } from '../methods.js';
import type { RouteOptions } from '../route-options.decorator.js';
import { CLIENT_CLOSED_REQUEST, sentStatus } from '../sent-status.js';

/** Replaces the route if none matched, and unknown methods: callers must not invent tag values. */
const UNKNOWN = 'UNKNOWN';
const NO_EXCEPTION = 'none';
const OUTCOMES = ['', 'INFORMATIONAL', 'SUCCESS', 'REDIRECTION', 'CLIENT_ERROR', 'SERVER_ERROR'];

/** The error response to a request that could not be read. */
interface RejectedRequest {
  readonly status: number;
  readonly code: ErrorCode;
}

interface Series {
  readonly method: string;
  readonly status: number;
  readonly exception: string;
  readonly timer: Timer;
}

/** Times the requests of a listener from their heads to the ends of their responses (management API, 5.3). */
export class RequestMeters {
  private readonly timers: Family<Timer>;
  private readonly running: Family<LongTaskTimer>;
  private readonly runningByMethod = new Map<string, LongTaskTimer>();
  /** Each route has few series, so a linear search is cheaper than building a key. */
  private readonly byRoute = new Map<RouteOptions, Series[]>();

  constructor(meters: Meters) {
    this.timers = meters.timer('http.server.requests', { description: 'Time to serve a request' });
    this.running = meters.longTaskTimer('http.server.requests.active', {
      description: 'Requests in progress',
    });
  }

  begin(lifecycle: RequestLifecycle): void {
    const method = methodOf(lifecycle);
    let timer = this.runningByMethod.get(method);
    if (!timer) {
      timer = this.running.of({ method });
      this.runningByMethod.set(method, timer);
    }
    lifecycle.endTask = timer.start();
  }

  /** Records a request that has ended; a second call does nothing. */
  end(lifecycle: RequestLifecycle): void {
    const { endTask, startedAt, reply, errorCode } = lifecycle;
    if (!endTask) return;
    lifecycle.endTask = undefined;
    endTask();
    const status = sentStatus(reply);
    // A client that disconnected did not receive the error.
    const exception = (status === CLIENT_CLOSED_REQUEST ? undefined : errorCode) ?? NO_EXCEPTION;
    this.timerOf(lifecycle, status, exception).record((performance.now() - startedAt) / 1000);
  }

  /** Records bytes that were not a valid request; their duration is unknown. */
  rejected(method: string | undefined, { status, code }: RejectedRequest): void {
    this.timers.of(tagsOf(known(method), UNKNOWN, status, code)).record(0);
  }

  private timerOf(lifecycle: RequestLifecycle, status: number, exception: string): Timer {
    const { routeOptions, reply } = lifecycle;
    let all = this.byRoute.get(routeOptions);
    if (!all) {
      all = [];
      this.byRoute.set(routeOptions, all);
    }
    const method = methodOf(lifecycle);
    for (const each of all) {
      if (each.status === status && each.exception === exception && each.method === method) return each.timer;
    }
    const uri = withoutSlash(reply.request.routeOptions.url) ?? UNKNOWN;
    const timer = this.timers.of(tagsOf(method, uri, status, exception));
    all.push({ method, status, exception, timer });
    return timer;
  }
}

/** A route with an optional trailing slash is one route here, although the router has two. */
function withoutSlash(template: string | undefined): string | undefined {
  return template?.replace(/(?<=.)\/$/, '');
}

function methodOf({ reply }: RequestLifecycle): string {
  return known(sentMethod(reply.request.raw));
}

function known(method: string | undefined): string {
  return method !== undefined && (KNOWN_METHODS.has(method) || method === CONNECT) ? method : UNKNOWN;
}

function tagsOf(method: string, uri: string, status: number, exception: string): Readonly<Record<string, string>> {
  const outcome = OUTCOMES[Math.floor(status / 100)] ?? UNKNOWN;
  // Dashboards use either name.
  return { method, uri, status: String(status), outcome, exception, error: exception };
}
