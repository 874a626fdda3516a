import { withTimeout } from '../clock/with-timeout.js';
import type { Logger } from '../logging/logger.js';
import { withoutRequestContext } from '../principal/request-context.js';

const PROBE_MILLIS = 1000;

/** Lines of the log at a failure of the store, and at its return. */
export interface AvailabilityMessages {
  readonly lost: string;
  readonly back: string;
}

/**
 * Whether a store that replicas share responds. After a failure, no request waits for it until a probe in the background
 * has reached it again; meanwhile each process does without it.
 */
export class StoreAvailability {
  private probing: NodeJS.Timeout | undefined;
  private isStopped = false;

  constructor(
    private readonly probe: () => Promise<unknown>,
    private readonly limitMillis: number,
    private readonly log: Logger,
    private readonly messages: AvailabilityMessages,
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
    this.log.warn(this.messages.lost, { failure: error instanceof Error ? error.message : String(error) });
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
      this.log.info(this.messages.back);
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
