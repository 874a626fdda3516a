import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Clock } from '../../clock/clock.js';
import { Meters } from '../../metrics/meters.js';
import { UnitOfWork } from '../../persistence/unit-of-work.js';
import { type ScheduledTask, ScheduledTasks } from '../../tasks/scheduled-tasks.js';
import { SecondFactorStore } from '../second-factor.store.js';

/** Not at once: a start has more to do, and a command is over by then. */
const FIRST_MILLIS = 1000;
const EVERY_MILLIS = 15_000;

/**
 * Counts the accounts whose second factor is locked for the gauge `login.mfa.locked`, which cannot wait for the
 * database: all replicas say the same, and none asks more often because more look.
 */
@Injectable()
export class LockedAccounts implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly task: ScheduledTask;
  /** Nobody knows yet. */
  private count = NaN;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<unknown> = Promise.resolve();
  private isStopped = false;

  constructor(
    private readonly store: SecondFactorStore,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    meters: Meters,
    tasks: ScheduledTasks,
  ) {
    this.task = tasks.add('LockedAccounts.look', {
      kind: 'fixedDelay',
      initialDelayMillis: FIRST_MILLIS,
      intervalMillis: EVERY_MILLIS,
    });
    const description = 'Accounts whose second factor is locked, in the database of all replicas, every 15 seconds';
    meters.gauge('login.mfa.locked', { description }, () => this.count);
  }

  onApplicationBootstrap(): void {
    this.wait(FIRST_MILLIS);
  }

  async onModuleDestroy(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  async look(): Promise<void> {
    this.count = await this.work.single((tx) => this.store.countLocked(tx, this.clock.seconds()));
  }

  private wait(millis: number): void {
    this.task.plan(millis);
    this.timer = setTimeout(() => {
      this.running = this.turn();
    }, millis).unref();
  }

  private async turn(): Promise<void> {
    try {
      await this.task.run(() => this.look());
    } catch {
      // The database is away, which it says itself; the last number stands until the next turn.
    }
    if (!this.isStopped) this.wait(EVERY_MILLIS);
  }
}
