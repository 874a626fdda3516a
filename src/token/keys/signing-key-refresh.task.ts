import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { type ScheduledTask, ScheduledTasks } from '../../tasks/scheduled-tasks.js';
import { KeyRotation } from './key-rotation.service.js';
import { SigningKeys } from './signing-keys.service.js';

const EVERY_MILLIS = 30_000;

/** Keeps the signing keys up and reads them anew, so that one that another process made is known before it signs. */
@Injectable()
export class SigningKeyRefresh implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly task: ScheduledTask;
  private running: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly rotation: KeyRotation,
    private readonly keys: SigningKeys,
    tasks: ScheduledTasks,
  ) {
    this.task = tasks.add('SigningKeyRefresh.refresh', {
      kind: 'fixedRate',
      initialDelayMillis: EVERY_MILLIS,
      intervalMillis: EVERY_MILLIS,
    });
  }

  onApplicationBootstrap(): void {
    this.task.plan(EVERY_MILLIS);
    this.timer = setInterval(() => {
      this.running = this.turn();
      this.task.plan(EVERY_MILLIS);
    }, EVERY_MILLIS).unref();
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  private async turn(): Promise<void> {
    try {
      await this.task.run(() => this.refresh());
    } catch {
      // The database is away: what is known stays in use, and the next turn comes soon.
    }
  }

  private async refresh(): Promise<void> {
    await this.rotation.keepUp();
    await this.keys.reload();
  }
}
