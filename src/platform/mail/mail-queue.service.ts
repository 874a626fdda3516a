import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import type { Tx } from '../persistence/unit-of-work.js';
import { Random, timeOrderedId } from '../../kernel/random/random.js';
import type { NewMail } from './mail-message.js';
import { MailMessageStore } from './mail-message.store.js';
import { MailSender } from './mail-sender.service.js';
import { MailRetryProperties } from './mail.properties.js';

/** Retention of mails that could not be sent. */
export const KEPT_SECONDS = 30 * 86_400;

/** Stores mails in the transaction of the change that they report; a background task sends them after the commit. */
@Injectable()
export class MailQueue {
  private readonly listeners: (() => void)[] = [];

  constructor(
    private readonly store: MailMessageStore,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly sender: MailSender,
    private readonly retry: MailRetryProperties,
  ) {}

  /** True if a relay is configured; otherwise `add` stores nothing. */
  get isEnabled(): boolean {
    return this.sender.isEnabled;
  }

  /** Stores a mail; it is sent after the commit, and discarded by a rollback. */
  async add(tx: Tx, { template, subject, facts = {} }: NewMail): Promise<void> {
    if (!this.isEnabled) return;
    const now = this.clock.millis();
    const id = timeOrderedId(now, this.random.bytes(10));
    await this.store.insert(tx, {
      id,
      // The id is fixed when the mail is stored, so that recipients recognize a repeated mail.
      message_id: `<${id}@${this.sender.domain}>`,
      created_at: now,
      template,
      user_id: subject,
      facts: JSON.stringify(facts),
      state: 'waiting',
      attempts: 0,
      next_attempt_at: now,
      give_up_at: now + this.retry.giveUpAfter.milliseconds,
      last_error: null,
      expires_at: this.clock.seconds() + KEPT_SECONDS,
    });
    tx.afterCommit(() => {
      for (const listener of this.listeners) listener();
    });
  }

  /** Deletes the mails of a deleted account, also those that were given up. */
  forget(tx: Tx, subject: string): Promise<void> {
    return this.store.deleteOf(tx, subject);
  }

  /** Calls `listener` after the commit of each added mail, in this process. */
  onAdded(listener: () => void): void {
    this.listeners.push(listener);
  }
}
