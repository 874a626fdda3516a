import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Clock } from '../clock/clock.js';
import { UnitOfWork } from './unit-of-work.js';
import { Random } from '../random/random.js';
import { type ScheduledTask, ScheduledTasks } from '../tasks/scheduled-tasks.js';
import { EXPIRING_TABLES, ExpiryStore, type ExpiringTable } from './expiry.store.js';

/** Small, so that no request waits long behind one. */
const BATCH = 200;
/** A turn ends after so many, and the next goes on. */
const MOST_BATCHES = 50;
const EVERY_MILLIS = 5 * 60_000;
/** A turn that left something over is followed soon: many logins must not leave more behind than is swept. */
const WHEN_BEHIND_MILLIS = 5000;
/**
 * A used `mfa_token` or refresh token is remembered beyond its end, so that a clock that was set back does not make it
 * usable once more.
 */
const KEPT_SECONDS = 86_400;
/**
 * A login that was asked for is deleted by its use, so nothing has to be remembered, and strangers make as many as they
 * like: no longer than the clocks of two replicas may differ.
 */
const SAML_REQUEST_KEPT_SECONDS = 60;

/** Deletes sessions, refresh tokens and the like after their end, in the background of every replica. */
@Injectable()
export class ExpirySweep implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly task: ScheduledTask;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<unknown> = Promise.resolve();
  private isStopped = false;

  constructor(
    private readonly store: ExpiryStore,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly random: Random,
    tasks: ScheduledTasks,
  ) {
    this.task = tasks.add('ExpirySweep.sweep', {
      // On average: each wait is drawn from half to one and a half of it, and is short after a turn that left rows over.
      kind: 'fixedDelay',
      initialDelayMillis: EVERY_MILLIS,
      intervalMillis: EVERY_MILLIS,
    });
  }

  onApplicationBootstrap(): void {
    this.wait();
  }

  async onModuleDestroy(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  /** Deletes what has expired, up to a limit; answers how many rows that were. */
  async sweep(): Promise<number> {
    let count = 0;
    for (const table of EXPIRING_TABLES) count += await this.sweepTable(table);
    return count;
  }

  private async sweepTable(table: ExpiringTable): Promise<number> {
    const before = this.clock.seconds() - (table === 'saml_request' ? SAML_REQUEST_KEPT_SECONDS : KEPT_SECONDS);
    let count = 0;
    for (let batch = 0; batch < MOST_BATCHES && !this.isStopped; batch += 1) {
      const names = await this.work.single((tx) => this.store.expired(tx, table, before, BATCH));
      if (names.length > 0) count += await this.work.single((tx) => this.store.delete(tx, table, names, before));
      if (names.length < BATCH) break;
    }
    return count;
  }

  /** Replicas that started together do not sweep together. */
  private wait(isBehind = false): void {
    const part = 0.5 + this.random.bytes(1).readUInt8() / 256;
    const millis = part * (isBehind ? WHEN_BEHIND_MILLIS : EVERY_MILLIS);
    this.task.plan(millis);
    this.timer = setTimeout(() => {
      this.running = this.turn();
    }, millis).unref();
  }

  private async turn(): Promise<void> {
    let count = 0;
    try {
      count = await this.task.run(() => this.sweep());
    } catch {
      // The database is away; the next turn takes it up.
    }
    if (!this.isStopped) this.wait(count >= MOST_BATCHES * BATCH);
  }
}
