import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import type { Tx } from '../persistence/unit-of-work.js';
import { Random, timeOrderedId } from '../../kernel/random/random.js';
import type { NewMail } from './mail-message.js';
import { MailMessageStore } from './mail-message.store.js';
import { MailSender } from './mail-sender.service.js';
import { MailRetryProperties } from './mail.properties.js';

/** A mail that could not be sent stays visible for so long. */
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

  /** False if no relay is configured: `add` then stores nothing. */
  get isEnabled(): boolean {
    return this.sender.isEnabled;
  }

  /** Stores a mail, which is sent after the commit, and is gone after a rollback. */
  async add(tx: Tx, { template, subject, facts = {} }: NewMail): Promise<void> {
    if (!this.isEnabled) return;
    const now = this.clock.millis();
    const id = timeOrderedId(now, this.random.bytes(10));
    await this.store.insert(tx, {
      id,
      // Fixed here, so that a repeated sending is recognised.
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
