import { Injectable } from '@nestjs/common';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import type { Logger } from '../../../observability/logging/logger.js';
import { Loggers } from '../../../observability/logging/loggers.js';
import type { Counter } from '../../../observability/metrics/meter.js';
import { Meters } from '../../../observability/metrics/meters.js';
import { MailTemplates } from '../mail-templates.service.js';
import type { MailRow } from '../mail-message.js';
import { MailOutbox } from './mail-outbox.service.js';
import { type SmtpFailure, smtpFailureOf } from './smtp-failure.js';
import { SmtpRelay } from './smtp-relay.service.js';

const DEFECT: SmtpFailure = { scope: 'mail', isPermanent: false, errorClass: 'COMPOSE' };

/** Claims, composes and sends mails, one attempt each, and records the outcome. */
@Injectable()
export class MailDispatch {
  /** Mails that the relay accepted. */
  private readonly sent: Counter;
  /** Mails that were given up. */
  private readonly failed: Counter;
  private readonly logger: Logger;
  /** Mails that the relay accepted while the database could not record it. */
  private readonly accepted = new Set<string>();

  constructor(
    private readonly outbox: MailOutbox,
    private readonly templates: MailTemplates,
    private readonly relay: SmtpRelay,
    meters: Meters,
    loggers: Loggers,
  ) {
    this.sent = meters.counter('mail.sent', { description: 'Mails that the relay accepted' }).of();
    this.failed = meters.counter('mail.failed', { description: 'Mails that were given up' }).of();
    this.logger = loggers.get('mail');
  }

  /** Remaining pause after failures of the relay, in milliseconds; 0 while the relay accepts mail. */
  get pauseMillis(): number {
    return this.relay.state.pauseMillis;
  }

  /** Returns at most `limit` due mails. */
  due(limit: number): Promise<readonly MailRow[]> {
    return this.outbox.due(this.templates.names, limit);
  }

  /**
   * Claims and sends a due mail. Never rejects: if the outcome cannot be stored, the mail is sent again after its
   * lease. Returns false if the mail could not be claimed or handled, so that the next ones would probably fail too.
   */
  async deliver(due: MailRow, stopping: AbortSignal): Promise<boolean> {
    try {
      const row = stopping.aborted ? undefined : await this.outbox.claim(due);
      if (row) await this.attempt(row, stopping);
      return true;
    } catch (error) {
      // An outage of the database was logged where it arose.
      if (!(error instanceof ServiceError)) this.logger.error('A mail could not be handled', { error, mail: due.id });
      return false;
    }
  }

  /** Ends all attempts in progress with their connections. */
  close(): Promise<void> {
    return this.relay.close();
  }

  private async attempt(row: MailRow, stopping: AbortSignal): Promise<void> {
    const outcome = this.accepted.has(row.id) ? 'accepted' : await this.send(row, stopping);
    if (outcome === 'interrupted') await this.outbox.again(row, 0, 'SHUTDOWN');
    else if (typeof outcome === 'object') await this.recordFailure(row, outcome);
    else {
      if (outcome === 'accepted') this.accepted.add(row.id);
      await this.outbox.done(row);
      this.accepted.delete(row.id);
    }
  }

  /** Composes and sends a mail; `dropped` if it no longer has a recipient. */
  private async send(
    row: MailRow,
    stopping: AbortSignal,
  ): Promise<'accepted' | 'dropped' | 'interrupted' | SmtpFailure> {
    const signal = this.relay.timeLimit(stopping);
    try {
      // Checks a failing relay first: a template may store a link, which an attempt during an outage should not.
      if (this.relay.state.isFailing) await this.relay.verify(signal);
      const composed = await this.templates.compose(row);
      if (!composed) return 'dropped';
      if (composed === 'failed') return DEFECT;
      const identity = { id: row.id, messageId: row.message_id, createdAt: row.created_at };
      await this.relay.send(composed, identity, signal);
    } catch (error) {
      return stopping.aborted ? 'interrupted' : smtpFailureOf(error);
    }
    this.recordAccepted(row);
    return 'accepted';
  }

  private recordAccepted({ id, template, attempts }: MailRow): void {
    this.sent.increment();
    this.logger.debug('A mail was sent', { mail: id, template, attempts });
    this.relay.state.recordSuccess();
  }

  private async recordFailure(row: MailRow, failure: SmtpFailure): Promise<void> {
    const { errorClass: reason, isPermanent, scope } = failure;
    const fields = { mail: row.id, template: row.template, attempts: row.attempts, reason };
    if (scope === 'relay') this.relay.state.recordFailure(reason);
    // A relay that rejects one mail is there for the others.
    else if (failure !== DEFECT) this.relay.state.recordSuccess();
    if (isPermanent || this.outbox.isTooOld(row)) {
      await this.outbox.giveUp(row, reason);
      this.failed.increment();
      this.logger.warn('A mail could not be sent and was given up', fields);
      return;
    }
    if (scope === 'relay') {
      await this.outbox.again(row, this.pauseMillis, reason);
      return;
    }
    await this.outbox.retry(row, reason);
    this.logger.info('A mail was not accepted and will be retried', fields);
  }
}
