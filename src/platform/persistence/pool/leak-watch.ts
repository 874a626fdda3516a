import type { Logger } from '../../../observability/logging/logger.js';
import type { PoolSettings } from './pool-settings.js';

/** A connection that was not returned in time. */
class Leak extends Error {
  constructor(thresholdMillis: number) {
    super(`a connection was not returned within ${thresholdMillis} ms`);
    this.name = 'Leak';
  }
}

/** The unit of work and the pool take about ten frames of the stack before that of the borrower. */
const FRAMES = 40;

/** An error whose stack reaches the borrower. */
function leakOfCaller(thresholdMillis: number): Leak {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = Math.max(stackTraceLimit, FRAMES);
  try {
    return new Leak(thresholdMillis);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Warns if the connection of one caller is lent for too long. */
export class LeakWatch {
  private readonly leak: Leak;

  /** Created where the connection is requested, so that the stack of the error names the caller. */
  constructor(
    private readonly settings: PoolSettings,
    private readonly logger: Logger,
  ) {
    this.leak = leakOfCaller(settings.leakDetectionThreshold);
  }

  /** Starts when the connection is lent; the returned function ends it. */
  begin(): () => void {
    const { leak, logger } = this;
    const { name: pool, leakDetectionThreshold } = this.settings;
    let isReported = false;
    const timer = setTimeout(() => {
      isReported = true;
      logger.warn('A connection of the pool may have leaked', { pool, error: leak });
    }, leakDetectionThreshold).unref();
    return () => {
      clearTimeout(timer);
      if (isReported) logger.info('A connection that was reported as leaked was returned', { pool });
    };
  }
}
