import type { Logger } from '../../../observability/logging/logger.js';

/** Whether the relay accepts mail; after a failure, mails wait for a while before the next attempt. */
export class RelayState {
  /** Failures in a row; those of one moment count once. */
  private failures = 0;
  /** A time of the monotonic clock, in milliseconds. */
  private pausedUntil = 0;

  constructor(
    /** Milliseconds without attempts after a number of failures in a row. */
    private readonly pauseAfter: (failures: number) => number,
    private readonly logger: Logger,
  ) {}

  /** The remaining time without attempts; 0 while the relay accepts mail. */
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
