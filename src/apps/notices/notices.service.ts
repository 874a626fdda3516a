import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { EventRow } from '../../identity/events/event-line.js';
import { EventRelay } from '../../identity/events/chain/event-relay.service.js';
import { Loggers } from '../../observability/logging/loggers.js';
import { MailQueue } from '../../platform/mail/mail-queue.service.js';
import type { Tx } from '../../platform/persistence/unit-of-work.js';
import { MAX_NOTICES, NoticeCountStore } from './notice-count.store.js';
import { mailFactsOf, NOTICE_EVENTS, noticeKindOf, templateOf } from './notice.js';

/** Queues a notice by mail for each security event that users should know about; a summary if there are too many of them. */
@Injectable()
export class Notices implements OnApplicationBootstrap {
  constructor(
    private readonly queue: MailQueue,
    private readonly counts: NoticeCountStore,
    relay: EventRelay,
    private readonly loggers: Loggers,
  ) {
    if (queue.isEnabled) relay.subscribe(NOTICE_EVENTS, (tx, event) => this.enqueue(tx, event));
  }

  /** Subscribes only now: a startup that a signal has stopped must not queue notices. */
  onApplicationBootstrap(): void {
    if (this.queue.isEnabled) return;
    this.loggers.get('mail').info('No notices are mailed, since app.mail.host is not set');
  }

  private async enqueue(tx: Tx, event: EventRow): Promise<void> {
    const { user_id: subject } = event;
    if (subject === null) return;
    const kind = noticeKindOf(event);
    const turn = await this.counts.take(tx, subject, kind);
    if (turn === 'none') return;
    const facts = { ...mailFactsOf(event), ...(turn === 'summary' && { several: String(MAX_NOTICES) }) };
    await this.queue.add(tx, { template: templateOf(kind), subject, facts });
  }
}
