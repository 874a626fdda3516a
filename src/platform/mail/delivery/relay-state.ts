import type { Logger } from '../../../observability/logging/logger.js';

/** Tracks whether the relay accepts mail; after a failure, mails wait before the next attempt. */
export class RelayState {
  /** Consecutive failures; simultaneous ones count once. */
  private failures = 0;
  /** End of the pause, in milliseconds of the monotonic clock. */
  private pausedUntil = 0;

  constructor(
    /** Returns the pause in milliseconds after a number of consecutive failures. */
    private readonly pauseAfter: (failures: number) => number,
    private readonly logger: Logger,
  ) {}

  /** Remaining pause in milliseconds; 0 while the relay accepts mail. */
  get pauseMillis(): number {
    return Math.max(0, this.pausedUntil - performance.now());
  }

  get isFailing(): boolean {
    return this.failures > 0;
  }

  /** Warns once per outage. */
  recordFailure(reason: string): void {
    if (this.failures === 0) this.logger.warn('The mail relay accepts no mail; mails wait', { reason });
    if (this.pauseMillis > 0) return;
    this.failures += 1;
    this.pausedUntil = performance.now() + this.pauseAfter(this.failures);
  }

  recordSuccess(): void {
    if (this.failures > 0) this.logger.info('The mail relay accepts mail again', { failures: this.failures });
    this.failures = 0;
    this.pausedUntil = 0;
  }
}
