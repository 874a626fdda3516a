import type { Logger } from '../../observability/logging/logger.js';
import type { BackgroundLoop } from '../../platform/tasks/repeat.js';
import type { ScheduledTasks } from '../../platform/tasks/scheduled-tasks.js';
import type { ConsoleClient } from './console.client.js';
import type { ConsoleInstance } from './instance.js';

export interface RegistrationOptions {
  /** Replicas of one console, in the order in which they are called. */
  readonly clients: readonly ConsoleClient[];
  readonly instance: ConsoleInstance;
  readonly periodMillis: number;
  readonly logger: Logger;
}

/** Limits how long shutdown waits for a console. */
const DEREGISTER_TIMEOUT_MILLIS = 1000;

/** Keeps this process registered with a console until it stops. */
export class ConsoleRegistration {
  private readonly ids = new Map<ConsoleClient, string>();
  private readonly loop: BackgroundLoop;
  private isRegistered = false;
  private isStopping = false;

  constructor(
    private readonly options: RegistrationOptions,
    tasks: ScheduledTasks,
  ) {
    this.loop = tasks.repeat(
      'ConsoleRegistration.register',
      {
        kind: 'fixedDelay',
        initialDelayMillis: 0,
        intervalMillis: options.periodMillis,
        onFailure: (error, failures) => {
          this.reportFailure(error, failures);
        },
        lastStep: { limitMillis: DEREGISTER_TIMEOUT_MILLIS, run: (signal) => this.deregister(signal) },
      },
      (signal) => this.register(signal),
    );
  }

  /** Stops the registrations, and deregisters if the console responds soon. */
  async stop(): Promise<void> {
    this.isStopping = true;
    await this.loop.stop();
  }

  /** Registers with the first console that accepts; fails with the error of the last one. */
  private async register(signal: AbortSignal): Promise<void> {
    const failures: unknown[] = [];
    for (const client of this.options.clients) {
      try {
        this.ids.set(client, await client.register(this.options.instance, signal));
        this.reportSuccess(client);
        return;
      } catch (error) {
        failures.push(error);
      }
    }
    throw failures.at(-1);
  }

  private async deregister(signal: AbortSignal): Promise<void> {
    await Promise.all(
      Array.from(this.ids, async ([client, id]) => {
        try {
          await client.deregister(id, signal);
        } catch (error) {
          this.options.logger.warn('Could not deregister from the console', { error });
        }
      }),
    );
  }

  private reportSuccess({ url }: ConsoleClient): void {
    if (!this.isRegistered) this.options.logger.info(`Registered with the console at ${url}`);
    this.isRegistered = true;
  }

  /** Warns once per outage. */
  private reportFailure(error: unknown, failures: number): void {
    if (failures > 0 || this.isStopping) return;
    this.isRegistered = false;
    const reason = error instanceof Error ? error.message : String(error);
    this.options.logger.warn(`Not registered with the console; the service keeps trying: ${reason}`);
  }
}
