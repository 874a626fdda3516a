import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { MailQueue } from '../../platform/mail/mail-queue.service.js';
import type { Tx } from '../../platform/persistence/unit-of-work.js';

/** Names of the templates; `to` is the address, since the account has only one of the two. */
export const ADDRESS_TEMPLATES = { old: 'notice-address-changed', new: 'notice-address-added' } as const;

/** Mails about a changed mail address, to the old and the new one (authentication.md 2.12). */
@Injectable()
export class AddressNotices {
  constructor(
    private readonly queue: MailQueue,
    private readonly clock: Clock,
  ) {}

  /** Stores the mails in the transaction of the change; undefined stands for no address. */
  async add(
    tx: Tx,
    subject: string,
    { before, after }: { readonly before: string | undefined; readonly after: string | undefined },
  ): Promise<void> {
    if (before === after) return;
    // Only administrators, commands and identity providers change addresses.
    const facts = { at: String(this.clock.millis()), by: 'administrator' };
    const old = { template: ADDRESS_TEMPLATES.old, subject };
    if (before !== undefined) await this.queue.add(tx, { ...old, facts: { ...facts, to: before } });
    if (after !== undefined)
      await this.queue.add(tx, { template: ADDRESS_TEMPLATES.new, subject, facts: { to: after } });
  }
}
