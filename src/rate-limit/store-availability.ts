import { withTimeout } from '../clock/with-timeout.js';
import type { Logger } from '../logging/logger.js';
import { withoutRequestContext } from '../principal/request-context.js';

const PROBE_MILLIS = 1000;

/**
 * Whether the store that replicas share responds. After a failure, no request waits for it until a probe in the background
 * has reached it again; meanwhile each process counts for itself.
 */
export class StoreAvailability {
  private probing: NodeJS.Timeout | undefined;
  private isStopped = false;

  constructor(
    private readonly probe: () => Promise<void>,
    private readonly limitMillis: number,
    private readonly log: Logger,
  ) {}

  get isAvailable(): boolean {
    return this.probing === undefined;
  }

  /** The result of `work`; undefined if the store is away, or does not respond in time. */
  async attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (!this.isAvailable) return undefined;
    try {
      return await this.within(work());
    } catch (error) {
      this.giveUp(error);
      return undefined;
    }
  }

  stop(): void {
    this.isStopped = true;
    clearTimeout(this.probing);
  }

  private giveUp(error: unknown): void {
    if (!this.isAvailable || this.isStopped) return;
    this.log.warn('Rate limits are counted by this process alone: the shared store does not respond', {
      failure: error instanceof Error ? error.message : String(error),
    });
    this.probeLater();
  }

  private probeLater(): void {
    // Not in the context of the request that has met the failure.
    this.probing = withoutRequestContext(() => setTimeout(() => void this.ask(), PROBE_MILLIS).unref());
  }

  private async ask(): Promise<void> {
    try {
      await this.within(this.probe());
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
