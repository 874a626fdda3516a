import { Injectable } from '@nestjs/common';
import { withoutUndefined } from '../../kernel/collections/without-undefined.js';
import { Clock } from '../../kernel/clock/clock.js';
import { requestContext } from '../../kernel/principal/request-context.js';
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

  /**
   * Stores the mails in the transaction of a change by an administrator, a command or an identity provider; undefined stands for no
   * address.
   */
  async add(
    tx: Tx,
    subject: string,
    { before, after }: { readonly before: string | undefined; readonly after: string | undefined },
  ): Promise<void> {
    if (before === after) return;
    const facts = { at: String(this.clock.millis()), by: 'administrator' };
    const old = { template: ADDRESS_TEMPLATES.old, subject };
    if (before !== undefined) await this.queue.add(tx, { ...old, facts: { ...facts, to: before } });
    if (after !== undefined)
      await this.queue.add(tx, { template: ADDRESS_TEMPLATES.new, subject, facts: { to: after } });
  }

  /** Stores the mail to the former address in the transaction in which the user confirms another one, which gets no mail. */
  async addConfirmed(tx: Tx, subject: string, before: string | undefined): Promise<void> {
    if (before === undefined) return;
    const { ip, agent } = requestContext() ?? {};
    const facts = { at: String(this.clock.millis()), to: before, ...withoutUndefined({ ip, agent }) };
    await this.queue.add(tx, { template: ADDRESS_TEMPLATES.old, subject, facts });
  }
}
