import type { Counter } from '../metrics/meter.js';
import type { Meters } from '../metrics/meters.js';
import type { MailState } from './mail-message.js';

/** Meters of the mails of this process, and of those that wait in the database. */
export class MailMeters {
  /** Mails that the relay accepted. */
  readonly sent: Counter;
  /** Mails that were given up. */
  readonly failed: Counter;
  /** As of the last look at the table. */
  stored: Readonly<Record<MailState, number>> = { waiting: 0, failed: 0 };

  constructor(meters: Meters) {
    this.sent = meters.counter('mail.sent', { description: 'Mails that the relay accepted' }).of();
    this.failed = meters.counter('mail.failed', { description: 'Mails that were given up' }).of();
    const description = 'Mails in the database that wait to be sent, of all replicas';
    meters.gauge('mail.waiting', { description }, () => this.stored.waiting);
  }
}
