import { Injectable } from '@nestjs/common';
import type { EventKind } from '../../identity/events/security-event.js';
import { SecurityEvents } from '../../identity/events/security-events.service.js';
import { MailBacklog } from '../../platform/mail/mail-backlog.service.js';
import { type Tx, UnitOfWork } from '../../platform/persistence/unit-of-work.js';
import { withCommandContext } from '../../kernel/principal/command-context.js';
import { WebhookDeliveries } from '../webhook/webhook-deliveries.service.js';
import type { Act } from './act.js';

/** Maximum number of mails in one transaction. */
const MAILS_AT_ONCE = 200;

/** Sends mails and events again that were given up, and records a security event in the same transaction. */
@Injectable()
export class Resends {
  constructor(
    private readonly mails: MailBacklog,
    private readonly deliveries: WebhookDeliveries,
    private readonly events: SecurityEvents,
    private readonly work: UnitOfWork,
  ) {}

  /** Sends one mail again; false if no such mail was given up. */
  async mail(id: string, act: Act): Promise<boolean> {
    const count = await this.run('MAIL_RESENT', act, id, async (tx) => Number(await this.mails.resend(id, tx)));
    return count === 1;
  }

  /** Sends all mails again that were given up; returns their number. */
  async allMails(act: Act): Promise<number> {
    let [count, after] = [0, ''];
    for (;;) {
      const found = await this.mails.list({ state: 'failed', after, limit: MAILS_AT_ONCE });
      const last = found.at(-1);
      if (!last) return count;
      count += await this.run('MAIL_RESENT', act, undefined, async (tx) => {
        let renewed = 0;
        for (const { id } of found) renewed += Number(await this.mails.resend(id, tx));
        return renewed;
      });
      after = last.id;
    }
  }

  /** Sends one dead letter of the webhook again, or all; returns their number. */
  webhook(id: string | undefined, act: Act): Promise<number> {
    return this.run('WEBHOOK_RESENT', act, id, (tx) => this.deliveries.resend(id, tx));
  }

  /** Records the act; the event contains `id` only if it named a mail or event. */
  private run(kind: EventKind, act: Act, id: string | undefined, work: (tx: Tx) => Promise<number>): Promise<number> {
    return withCommandContext(act, () =>
      this.work.run(async (tx) => {
        const count = await work(tx);
        const detail = { count: String(count), ...(id !== undefined && { id }) };
        if (count > 0) await this.events.record(tx, { kind, actor: act.actor, detail });
        return count;
      }),
    );
  }
}
