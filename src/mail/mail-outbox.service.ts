import { Injectable } from '@nestjs/common';
import { Clock } from '../clock/clock.js';
import { UnitOfWork } from '../persistence/unit-of-work.js';
import type { MailRow } from './mail-message.js';
import { MailMessageStore } from './mail-message.store.js';
import { MailRetrySchedule } from './mail-retry-schedule.service.js';
import { MailProperties } from './mail.properties.js';

/** Replicas with clocks that differ by less than this do not send a mail at the same time. */
const CLOCK_SKEW_MILLIS = 30_000;

/** Claims mails for this replica, and records what became of them. */
@Injectable()
export class MailOutbox {
  private readonly leaseMillis: number;
  /** No time of a waiting mail lies further ahead. */
  private readonly horizonMillis: number;

  constructor(
    private readonly store: MailMessageStore,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    { sendTimeout }: MailProperties,
    private readonly schedule: MailRetrySchedule,
  ) {
    this.leaseMillis = 2 * sendTimeout.milliseconds + CLOCK_SKEW_MILLIS;
    this.horizonMillis = Math.max(this.leaseMillis, schedule.maxDelayMillis) + CLOCK_SKEW_MILLIS;
  }

  /**
   * Claims at most `limit` due mails of these templates: those that only a newer version knows are left to its replicas. If
   * this replica dies, another one sends its mails after the lease.
   */
  async claim(names: readonly string[], limit: number): Promise<readonly MailRow[]> {
    if (names.length === 0) return [];
    for (;;) {
      const now = this.clock.millis();
      const range = { now, latest: now + this.horizonMillis, limit };
      const due = await this.work.single((tx) => this.store.due(tx, names, range));
      const until = now + this.leaseMillis;
      const claimed: MailRow[] = [];
      for (const row of due) {
        const isOurs = await this.work.single((tx) => this.store.claim(tx, row, until));
        if (isOurs) claimed.push({ ...row, attempts: row.attempts + 1, next_attempt_at: until });
      }
      // Another replica was faster at all of them: there may be more.
      if (claimed.length > 0 || due.length === 0) return claimed;
    }
  }

  /** Deletes a mail that the relay has accepted, or that has no recipient any more. */
  done({ id }: MailRow): Promise<void> {
    return this.work.single((tx) => this.store.delete(tx, id));
  }

  /** Tries a mail again after the delay that follows its attempts. */
  retry(row: MailRow, errorClass: string): Promise<void> {
    return this.again(row, this.schedule.delayAfter(row.attempts), errorClass);
  }

  /** Tries a mail again after `delayMillis`. */
  again(row: MailRow, delayMillis: number, errorClass: string): Promise<void> {
    const at = this.clock.millis() + Math.max(1, Math.round(delayMillis));
    return this.work.single((tx) => this.store.plan(tx, row, at, errorClass));
  }

  /** Gives up a mail, which stays visible. */
  giveUp(row: MailRow, errorClass: string): Promise<void> {
    return this.work.single((tx) => this.store.fail(tx, row, errorClass));
  }

  isTooOld({ give_up_at: giveUpAt }: MailRow): boolean {
    return this.clock.millis() >= giveUpAt;
  }
}
