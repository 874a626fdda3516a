import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { type ScheduledTask, ScheduledTasks } from '../../tasks/scheduled-tasks.js';
import { Decoys } from './decoys.service.js';

/** Not at once: a command is over by then. A login that comes earlier reads the kinds itself. */
const FIRST_MILLIS = 1000;
const EVERY_MILLIS = 60_000;

/** Keeps up with the kinds of password hashes that accounts have. */
@Injectable()
export class PasswordKinds implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly task: ScheduledTask;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private readonly stop = new AbortController();

  constructor(
    private readonly decoys: Decoys,
    tasks: ScheduledTasks,
  ) {
    this.task = tasks.add('PasswordKinds.refresh', {
      kind: 'fixedDelay',
      initialDelayMillis: FIRST_MILLIS,
      intervalMillis: EVERY_MILLIS,
    });
  }

  onApplicationBootstrap(): void {
    this.wait(FIRST_MILLIS);
  }

  async onModuleDestroy(): Promise<void> {
    this.stop.abort();
    clearTimeout(this.timer);
    await this.running;
  }

  private wait(millis: number): void {
    this.task.plan(millis);
    this.timer = setTimeout(() => {
      this.running = this.turn();
    }, millis).unref();
  }

  private async turn(): Promise<void> {
    try {
      await this.task.run(() => this.decoys.refresh(this.stop.signal));
    } catch {
      // The database is away, which it says itself; the last counts stand until the next turn.
    }
    if (!this.stop.signal.aborted) this.wait(EVERY_MILLIS);
  }
}
