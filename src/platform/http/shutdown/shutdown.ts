import { withTimeout } from '../../../kernel/clock/with-timeout.js';
import type { Availability } from '../../../observability/health/availability.js';
import type { Duration } from '../../../config/bind/duration.js';
import type { Logger } from '../../../observability/logging/logger.js';
import type { Listener } from '../listener.js';

export interface ShutdownParts {
  readonly availability: Availability;
  readonly main: Listener;
  /** Serves probes until the end; equals `main` if the endpoints have no listener of their own. */
  readonly management: Listener;
  /** Closes everything behind the listeners: workers, databases, logs. */
  readonly closeRest: () => Promise<void>;
  /** The background tasks that have not ended. */
  readonly unfinishedTasks: () => readonly string[];
  readonly mode: 'graceful' | 'immediate';
  /** Time during which all requests are still served after readiness is down. */
  readonly preDrain: Duration;
  /** Limit for requests in progress and for `closeRest` together. */
  readonly phaseLimit: Duration;
  readonly log: Logger;
}

/** Limit for management requests: probes and scrapes are short. */
const MANAGEMENT_LIMIT_MILLIS = 1000;
/** Minimum for `closeRest` if the requests have used up the phase. */
const MIN_CLOSE_MILLIS = 1000;

/**
 * Stops the service: readiness goes down and load balancers get time to notice; then the main listener closes and its
 * requests end; then the management listener and everything behind the listeners (specification, `server.shutdown`).
 */
export async function shutDown(parts: ShutdownParts): Promise<void> {
  const { availability, main, management, mode, preDrain, phaseLimit, log } = parts;
  availability.stopping();
  let since = performance.now();
  if (mode === 'immediate') {
    await Promise.all([main.close(0), management.close(0)]);
  } else {
    main.drain();
    if (preDrain.milliseconds > 0) {
      log.info(`Stopping: readiness is down; the listener closes in ${preDrain.toString()}`);
      await wait(preDrain);
    }
    since = performance.now();
    log.info(`Stopping: ${count(main.inProgress)} in progress, ${phaseLimit.toString()} at most`);
    const cut = await main.close(phaseLimit.milliseconds);
    if (cut > 0) log.warn(`Cut off after ${phaseLimit.toString()}: ${count(cut)}`);
    if (management !== main) await management.close(MANAGEMENT_LIMIT_MILLIS);
  }
  const left = phaseLimit.milliseconds - (performance.now() - since);
  const closing = parts.closeRest().then(() => true);
  const isClosed = await withTimeout(closing, Math.max(left, MIN_CLOSE_MILLIS), () => false);
  if (!isClosed) log.warn('Shutdown did not complete in time', { tasks: parts.unfinishedTasks().join(', ') || 'none' });
  log.info('Stopped');
}

function count(requests: number): string {
  return requests === 1 ? '1 request' : `${requests} requests`;
}

function wait({ milliseconds }: Duration): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}
