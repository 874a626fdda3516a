import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/clock.js';
import { smallestIdAt } from '../../../kernel/random/random.js';
import { UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import { EventStore } from '../event.store.js';
import { SignInCountStore } from './sign-in-count.store.js';
import { HOUR, hourOf, type SignInHour } from './sign-in-hour.js';

/** The hours that are kept: a month, and one day for readers in other time zones. */
const KEPT_SECONDS = 32 * 24 * HOUR;
/** An hour is counted once events that belong to it can no longer be committed. */
const GRACE_SECONDS = 300;
/** Hours that one turn counts; the next turn continues. */
export const MAX_HOURS = 24;
/** One statement reads the events of this time, so that none holds the embedded database for long. */
const SLICE_SECONDS = 600;

/** Counts the sign-ins of each hour from the security events. */
@Injectable()
export class SignInCounts {
  constructor(
    private readonly events: EventStore,
    private readonly store: SignInCountStore,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** Stores the counts of hours that are over and were not counted, oldest first; returns their number. */
  async countPast(signal?: AbortSignal): Promise<number> {
    const now = this.clock.seconds();
    const end = hourOf(now - GRACE_SECONDS);
    let hour = await this.firstUncounted(now);
    let count = 0;
    for (; hour < end && count < MAX_HOURS && !signal?.aborted; hour += HOUR, count += 1) {
      const counted = await this.count(hour);
      await this.work.single((tx) => this.store.add(tx, counted, counted.hour + KEPT_SECONDS));
    }
    return count;
  }

  /**
   * The hours of the last month, oldest first, with the current one. Hours before it that no task has counted yet are
   * missing, but for the last one.
   */
  async recent(): Promise<readonly SignInHour[]> {
    const now = this.clock.seconds();
    const stored = await this.work.single((tx) => this.store.since(tx, hourOf(now - KEPT_SECONDS)));
    const current = hourOf(now);
    const last = stored.at(-1)?.hour ?? 0;
    const open = [current - HOUR, current].filter((hour) => hour > last);
    const counted = await Promise.all(open.map((hour) => this.count(hour)));
    return [...stored, ...counted];
  }

  private async firstUncounted(now: number): Promise<number> {
    const last = await this.work.single((tx) => this.store.last(tx));
    const first = hourOf(now - KEPT_SECONDS) + HOUR;
    return last === undefined ? first : Math.max(first, last + HOUR);
  }

  private async count(hour: number): Promise<SignInHour> {
    let [completed, failed] = [0, 0];
    for (let from = hour; from < hour + HOUR; from += SLICE_SECONDS) {
      const [firstId, endId] = [smallestIdAt(from * 1000), smallestIdAt((from + SLICE_SECONDS) * 1000)];
      const slice = await this.work.single((tx) => this.events.signIns(tx, firstId, endId));
      completed += slice.completed;
      failed += slice.failed;
      await nextTurn();
    }
    return { hour, completed, failed };
  }
}
