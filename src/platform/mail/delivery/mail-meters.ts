import type { Counter } from '../../../observability/metrics/meter.js';
import type { Meters } from '../../../observability/metrics/meters.js';

/** Meters of the mails of this process. */
export class MailMeters {
  /** Mails that the relay accepted. */
  readonly sent: Counter;
  /** Mails that were given up. */
  readonly failed: Counter;

  constructor(meters: Meters) {
    this.sent = meters.counter('mail.sent', { description: 'Mails that the relay accepted' }).of();
    this.failed = meters.counter('mail.failed', { description: 'Mails that were given up' }).of();
  }
}
