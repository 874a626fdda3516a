import type { ErrorCode } from '../../errors/error-code.js';
import type { Family, Meters } from '../../metrics/meters.js';
import type { LongTaskTimer, Timer } from '../../metrics/meter.js';
import type { Passage } from '../admission/request-tracker.js';
import { KNOWN_METHODS, sentMethod, TUNNEL } from '../methods.js';
import type { RouteOptions } from '../route-options.decorator.js';
import { CLIENT_LEFT, sentStatus } from '../sent-status.js';

/** In place of a route where none matched, and of a method that is none of HTTP: what a caller makes up is no tag. */
const UNKNOWN = 'UNKNOWN';
const NO_EXCEPTION = 'none';
const OUTCOMES = ['', 'INFORMATIONAL', 'SUCCESS', 'REDIRECTION', 'CLIENT_ERROR', 'SERVER_ERROR'];

/** What was answered to a request that could not be read, or that nobody shall answer. */
interface Refused {
  readonly status: number;
  readonly code: ErrorCode;
}

interface Series {
  readonly method: string;
  readonly status: number;
  readonly exception: string;
  readonly timer: Timer;
}

/** Times the requests of a listener from their heads to the ends of their answers (management API, 5.3). */
export class RequestMeters {
  private readonly timers: Family<Timer>;
  private readonly running: Family<LongTaskTimer>;
  private readonly runningByMethod = new Map<string, LongTaskTimer>();
  /** Few of each route, so that looking through them is cheaper than to make a key. */
  private readonly byRoute = new Map<RouteOptions, Series[]>();

  constructor(meters: Meters) {
    this.timers = meters.timer('http.server.requests', { description: 'Time to serve a request' });
    this.running = meters.longTaskTimer('http.server.requests.active', {
      description: 'Requests whose answer is not out',
    });
  }

  begin(passage: Passage): void {
    const method = methodOf(passage);
    let timer = this.runningByMethod.get(method);
    if (!timer) {
      timer = this.running.of({ method });
      this.runningByMethod.set(method, timer);
    }
    passage.endTask = timer.start();
  }

  /** Its answer is out, or its client has left; a second time does nothing. */
  end(passage: Passage): void {
    const { endTask, startedAt, reply, code } = passage;
    if (!endTask) return;
    passage.endTask = undefined;
    endTask();
    const status = sentStatus(reply);
    // Nobody was told of what went wrong afterwards.
    const exception = (status === CLIENT_LEFT ? undefined : code) ?? NO_EXCEPTION;
    this.timerOf(passage, status, exception).record((performance.now() - startedAt) / 1000);
  }

  /** What stood on a connection instead of a request; nobody knows how long it took to come. */
  refused(method: string | undefined, { status, code }: Refused): void {
    this.timers.of(tagsOf(known(method), UNKNOWN, status, code)).record(0);
  }

  private timerOf(passage: Passage, status: number, exception: string): Timer {
    const { facts, reply } = passage;
    let all = this.byRoute.get(facts);
    if (!all) {
      all = [];
      this.byRoute.set(facts, all);
    }
    const method = methodOf(passage);
    for (const each of all) {
      if (each.status === status && each.exception === exception && each.method === method) return each.timer;
    }
    const uri = withoutSlash(reply.request.routeOptions.url) ?? UNKNOWN;
    const timer = this.timers.of(tagsOf(method, uri, status, exception));
    all.push({ method, status, exception, timer });
    return timer;
  }
}

/** A route that takes a slash at its end as well is one, although the router knows two. */
function withoutSlash(template: string | undefined): string | undefined {
  return template?.replace(/(?<=.)\/$/, '');
}

function methodOf({ reply }: Passage): string {
  return known(sentMethod(reply.request.raw));
}

function known(method: string | undefined): string {
  return method !== undefined && (KNOWN_METHODS.has(method) || method === TUNNEL) ? method : UNKNOWN;
}

function tagsOf(method: string, uri: string, status: number, exception: string): Readonly<Record<string, string>> {
  const outcome = OUTCOMES[Math.floor(status / 100)] ?? UNKNOWN;
  // Dashboards ask for one or the other.
  return { method, uri, status: String(status), outcome, exception, error: exception };
}
