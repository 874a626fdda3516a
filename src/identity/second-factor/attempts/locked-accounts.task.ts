import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/clock.js';
import { Meters } from '../../../observability/metrics/meters.js';
import { UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import { ScheduledTasks } from '../../../platform/tasks/scheduled-tasks.js';
import type { Condition } from '../../account/account-conditions.js';
import { SecondFactorStore } from '../second-factor.store.js';

/** Delayed, so that a short command ends before it. */
const INITIAL_DELAY_MILLIS = 1000;
const INTERVAL_MILLIS = 15_000;

/**
 * Counts the accounts whose second factor is locked for the gauge `login.mfa.locked`, since a gauge cannot wait for the
 * database. All replicas report the same number, and more readers of the gauge cause no more queries.
 */
@Injectable()
export class LockedAccounts {
  /** NaN until the first run; a failed run keeps the last number. */
  private count = NaN;

  constructor(
    private readonly store: SecondFactorStore,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    meters: Meters,
    tasks: ScheduledTasks,
  ) {
    const description = 'Accounts whose second factor is locked, in the database of all replicas, every 15 seconds';
    meters.gauge('login.mfa.locked', { description }, () => this.count);
    tasks.repeat(
      'LockedAccounts.look',
      { kind: 'fixedDelay', initialDelayMillis: INITIAL_DELAY_MILLIS, intervalMillis: INTERVAL_MILLIS },
      async () => {
        await this.look();
      },
    );
  }

  /** The condition on an account that its second factor is locked now. */
  condition(): Condition {
    return this.store.underLock(this.clock.seconds());
  }

  /** Counts them now. */
  async look(): Promise<number> {
    this.count = await this.work.single((tx) => this.store.countLocked(tx, this.clock.seconds()));
    return this.count;
  }
}
