import { withTimeout } from '../clock/with-timeout.js';
import type { Logger } from '../logging/logger.js';
import { withoutRequestContext } from '../principal/request-context.js';
import type { MemoryLimits } from './memory-limits.js';
import type { RateLimitStore } from './rate-limit-store.js';
import type { Charge, Verdict } from './sliding-window.js';

const PROBE_MILLIS = 1000;

/**
 * A shared store with the memory of this process as its fallback. After a failure, no request waits for the store until a
 * probe in the background has reached it again.
 */
export class SharedLimits {
  private probing: NodeJS.Timeout | undefined;
  private isStopped = false;

  constructor(
    private readonly store: RateLimitStore,
    private readonly memory: MemoryLimits,
    private readonly limitMillis: number,
    private readonly log: Logger,
  ) {}

  /** False while this process counts alone. */
  get isShared(): boolean {
    return this.probing === undefined;
  }

  async charge(charges: readonly Charge[]): Promise<readonly Verdict[]> {
    if (this.isShared) {
      try {
        return await this.within(this.store.charge(charges));
      } catch (error) {
        this.giveUp(error);
      }
    }
    return charges.map((charge) => this.memory.charge(charge));
  }

  stop(): void {
    this.isStopped = true;
    clearTimeout(this.probing);
  }

  private giveUp(error: unknown): void {
    if (!this.isShared || this.isStopped) return;
    this.log.warn('Rate limits are counted by this process alone: the shared store does not respond', {
      failure: error instanceof Error ? error.message : String(error),
    });
    this.probeLater();
  }

  private probeLater(): void {
    // Not in the context of the request that has met the failure.
    this.probing = withoutRequestContext(() => setTimeout(() => void this.probe(), PROBE_MILLIS).unref());
  }

  private async probe(): Promise<void> {
    try {
      await this.within(this.store.probe());
      this.probing = undefined;
      this.log.info('Rate limits are shared again');
    } catch {
      if (!this.isStopped) this.probeLater();
    }
  }

  private within<T>(work: Promise<T>): Promise<T> {
    return withTimeout(
      work,
      this.limitMillis,
      (): never => {
        throw new Error(`no response within ${this.limitMillis} ms`);
      },
      { readsSocketsFirst: true },
    );
  }
}
