import type { Logger } from '../../logging/logger.js';
import type { ScheduledTask } from '../../tasks/scheduled-task.js';
import type { ConsoleClient } from './console.client.js';
import type { ConsoleInstance } from './instance.js';

export interface RegistrationParts {
  /** Replicas of one console, in the order in which they are asked. */
  readonly clients: readonly ConsoleClient[];
  readonly instance: ConsoleInstance;
  readonly periodMillis: number;
  readonly task: ScheduledTask;
  readonly logger: Logger;
}

/** So that no end of the service waits long for a console. */
const DEREGISTER_TIMEOUT_MILLIS = 1000;

/** Keeps this process registered with a console, for as long as it runs. */
export class ConsoleRegistration {
  private readonly ids = new Map<ConsoleClient, string>();
  private readonly stopped = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private isStopping = false;
  private state: 'new' | 'registered' | 'away' = 'new';

  constructor(private readonly parts: RegistrationParts) {}

  start(): void {
    this.running = this.turn();
  }

  /** Takes the registration back, if that can be done soon. */
  async stop(): Promise<void> {
    this.isStopping = true;
    clearTimeout(this.timer);
    const limit = setTimeout(() => {
      this.stopped.abort();
    }, DEREGISTER_TIMEOUT_MILLIS);
    await this.running;
    await Promise.all(Array.from(this.ids, ([client, id]) => this.deregister(client, id)));
    clearTimeout(limit);
  }

  private async turn(): Promise<void> {
    const { task, periodMillis } = this.parts;
    try {
      this.logRegistered(await task.run(() => this.register()));
    } catch (error) {
      this.logFailure(error);
    }
    if (this.isStopping) return;
    task.plan(periodMillis);
    this.timer = setTimeout(() => {
      this.running = this.turn();
    }, periodMillis).unref();
  }

  /** With the first console that takes it; fails with what the last one said. */
  private async register(): Promise<ConsoleClient> {
    const failures: unknown[] = [];
    for (const client of this.parts.clients) {
      try {
        this.ids.set(client, await client.register(this.parts.instance, this.stopped.signal));
        return client;
      } catch (error) {
        failures.push(error);
      }
    }
    throw failures.at(-1);
  }

  private async deregister(client: ConsoleClient, id: string): Promise<void> {
    try {
      await client.deregister(id, this.stopped.signal);
    } catch (error) {
      this.parts.logger.warn('The console could not be told that the service ends', { error });
    }
  }

  private logRegistered({ url }: ConsoleClient): void {
    if (this.state !== 'registered') this.parts.logger.info(`Registered with the console at ${url}`);
    this.state = 'registered';
  }

  /** Once, however long it lasts. */
  private logFailure(error: unknown): void {
    if (this.state === 'away' || this.isStopping) return;
    this.state = 'away';
    const reason = error instanceof Error ? error.message : String(error);
    this.parts.logger.warn(`Not registered with the console, which is tried again and again: ${reason}`);
  }
}
