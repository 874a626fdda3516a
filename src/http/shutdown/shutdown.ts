import { withTimeout } from '../../clock/with-timeout.js';
import type { Availability } from '../../health/availability.js';
import type { Duration } from '../../config/bind/duration.js';
import type { Logger } from '../../logging/logger.js';
import type { Listener } from '../listener.js';

export interface ShutdownParts {
  readonly availability: Availability;
  readonly main: Listener;
  /** Answers probes to the last; the main one where the endpoints have no listener of their own. */
  readonly management: Listener;
  /** Everything behind the listeners: workers, databases, logs. */
  readonly closeRest: () => Promise<void>;
  readonly mode: 'graceful' | 'immediate';
  /** How long everything goes on after readiness turned. */
  readonly preDrain: Duration;
  /** Limit of the requests and of what is behind them. */
  readonly phaseLimit: Duration;
  readonly log: Logger;
}

/** Nothing but probes and scrapes, which are short. */
const MANAGEMENT_LIMIT_MILLIS = 1000;
/** For what is behind the listeners, where the requests have left no time of the phase. */
const MIN_CLOSE_MILLIS = 1000;

/**
 * Stops the service: readiness refuses, whoever sends requests here is given time to notice, the main listener closes
 * and its requests end, then the management listener, then all behind them (specification, `server.shutdown`).
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
      log.info(`Stopping: readiness refuses; the listener closes in ${preDrain.toString()}`);
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
  if (!isClosed) log.warn('Not everything could be closed in time');
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
