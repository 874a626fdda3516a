import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/clock.js';
import { UnitOfWork } from '../../persistence/unit-of-work.js';
import type { MailRow } from '../mail-message.js';
import { MailMessageStore } from '../mail-message.store.js';
import { MailRetries } from './mail-retries.service.js';
import { MailProperties } from '../mail.properties.js';

/** Replicas with clocks that differ by less than this do not send a mail at the same time. */
const CLOCK_SKEW_MILLIS = 30_000;

/** Claims mails for this replica and records the outcome of each attempt. */
@Injectable()
export class MailOutbox {
  private readonly leaseMillis: number;
  /** Maximum distance of the next attempt of a waiting mail from now. */
  private readonly horizonMillis: number;

  constructor(
    private readonly store: MailMessageStore,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    { sendTimeout }: MailProperties,
    private readonly retries: MailRetries,
  ) {
    this.leaseMillis = 2 * sendTimeout.milliseconds + CLOCK_SKEW_MILLIS;
    this.horizonMillis = Math.max(this.leaseMillis, retries.maxDelayMillis) + CLOCK_SKEW_MILLIS;
  }

  /**
   * Returns at most `limit` due mails with these templates; mails with templates of a newer version are left to its
   * replicas.
   */
  async due(names: readonly string[], limit: number): Promise<readonly MailRow[]> {
    if (names.length === 0) return [];
    const now = this.clock.millis();
    return this.work.single((tx) => this.store.due(tx, names, { now, latest: now + this.horizonMillis, limit }));
  }

  /**
   * Claims a due mail; undefined if another replica was faster. If this replica dies, another one sends the mail after the
   * lease.
   */
  async claim(row: MailRow): Promise<MailRow | undefined> {
    const until = this.clock.millis() + this.leaseMillis;
    const isOurs = await this.work.single((tx) => this.store.claim(tx, row, until));
    return isOurs ? { ...row, attempts: row.attempts + 1, next_attempt_at: until } : undefined;
  }

  /** Deletes a mail that the relay has accepted, or that has no recipient any more. */
  done({ id }: MailRow): Promise<void> {
    return this.work.single((tx) => this.store.delete(tx, id));
  }

  /** Tries a mail again after the delay that follows its attempts. */
  retry(row: MailRow, errorClass: string): Promise<void> {
    return this.again(row, this.retries.delayAfter(row.attempts), errorClass);
  }

  /** Tries a mail again after `delayMillis`. */
  again(row: MailRow, delayMillis: number, errorClass: string): Promise<void> {
    const at = this.clock.millis() + Math.max(1, Math.round(delayMillis));
    return this.work.single((tx) => this.store.plan(tx, row, at, errorClass));
  }

  /** Gives up a mail, which stays visible to operators. */
  giveUp(row: MailRow, errorClass: string): Promise<void> {
    return this.work.single((tx) => this.store.fail(tx, row, errorClass));
  }

  isTooOld({ give_up_at: giveUpAt }: MailRow): boolean {
    return this.clock.millis() >= giveUpAt;
  }
}
