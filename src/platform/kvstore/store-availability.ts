import { AsyncLocalStorage } from 'node:async_hooks';
import { withTimeout } from '../../kernel/clock/with-timeout.js';
import type { Logger } from '../../observability/logging/logger.js';

const PROBE_MILLIS = 1000;

/** Log messages for the loss and the return of the store. */
export interface AvailabilityMessages {
  readonly lost: string;
  readonly back: string;
}

/**
 * Tracks whether a store that replicas share is available. After a failure, no request waits for it until a probe in
 * the background has reached it again; meanwhile each process works without it.
 */
export class StoreAvailability {
  /** Runs probes outside of the context of the request that has met the failure. */
  private readonly inBackground = AsyncLocalStorage.snapshot();
  /** Number of outages so far. */
  private losses = 0;
  private isLost = false;
  private nextProbe: NodeJS.Timeout | undefined;
  private isStopped = false;

  /** The probe must do what the work needs, such as a write, and must end even if the store never responds. */
  constructor(
    private readonly probe: () => Promise<unknown>,
    private readonly limitMillis: number,
    private readonly log: Logger,
    private readonly messages: AvailabilityMessages,
  ) {}

  get isAvailable(): boolean {
    return !this.isLost;
  }

  /** Returns the result of `work`; undefined if the store is unavailable or does not respond in time. */
  async attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (this.isLost) return undefined;
    const { losses } = this;
    try {
      return await this.within(work());
    } catch (error) {
      // Ignores the failure of work that began before an earlier failure: the store may have come back since.
      if (losses === this.losses) this.giveUp(error);
      return undefined;
    }
  }

  stop(): void {
    this.isStopped = true;
    clearTimeout(this.nextProbe);
  }

  private giveUp(error: unknown): void {
    if (this.isStopped) return;
    this.losses += 1;
    this.isLost = true;
    this.log.warn(this.messages.lost, { failure: error instanceof Error ? error.message : String(error) });
    this.probeLater();
  }

  private probeLater(): void {
    this.nextProbe = this.inBackground(() => setTimeout(() => void this.ask(), PROBE_MILLIS).unref());
  }

  private async ask(): Promise<void> {
    const probe = Promise.resolve().then(this.probe);
    const isBack = await this.within(probe).then(
      () => true,
      () => false,
    );
    // Waits for the end of the probe, which may wait longer than a request, so that no two probes run at the same time.
    if (!isBack) await Promise.allSettled([probe]);
    if (this.isStopped) return;
    if (!isBack) {
      this.probeLater();
      return;
    }
    this.isLost = false;
    this.log.info(this.messages.back);
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
