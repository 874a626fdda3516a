import { Injectable } from '@nestjs/common';
import { ServiceError } from '../errors/service-error.js';
import type { Logger } from '../logging/logger.js';
import { Loggers } from '../logging/loggers.js';
import { Meters } from '../metrics/meters.js';
import { Random } from '../random/random.js';
import type { ComposedMail, MailFacts, MailRow } from './mail-message.js';
import { MailMeters } from './mail-meters.js';
import { MailOutbox } from './mail-outbox.service.js';
import { type RetryDelays, retryDelay } from './mail-retries.js';
import { MailTemplates } from './mail-templates.service.js';
import { MailProperties, MailRetryProperties } from './mail.properties.js';
import { RelayState } from './relay-state.js';
import { type SmtpFailure, smtpFailureOf } from './smtp-failure.js';
import { SmtpRelay } from './smtp-relay.service.js';

const DEFECT: SmtpFailure = { scope: 'mail', isPermanent: false, errorClass: 'COMPOSE' };

/** Composes and sends claimed mails, one attempt each, and records the outcome. */
@Injectable()
export class MailDispatch {
  readonly meters: MailMeters;
  private readonly logger: Logger;
  private readonly delays: RetryDelays;
  private readonly sendMillis: number;
  private readonly relayState: RelayState;
  /** Mails that the relay accepted while the database could not record it. */
  private readonly accepted = new Set<string>();

  constructor(
    private readonly outbox: MailOutbox,
    private readonly templates: MailTemplates,
    private readonly relay: SmtpRelay,
    private readonly random: Random,
    { sendTimeout }: MailProperties,
    { firstDelay, maxDelay }: MailRetryProperties,
    meters: Meters,
    loggers: Loggers,
  ) {
    this.meters = new MailMeters(meters);
    this.logger = loggers.get('mail');
    this.delays = { firstMillis: firstDelay.milliseconds, maxMillis: maxDelay.milliseconds };
    this.relayState = new RelayState(this.delays, this.logger);
    this.sendMillis = sendTimeout.milliseconds;
  }

  /** The remaining time without attempts after a failure of the relay; 0 while it accepts mail. */
  get pauseMillis(): number {
    return this.relayState.pauseMillis;
  }

  /** Never rejects: what the database could not record is repeated after the lease of the mail. */
  async deliver(row: MailRow, stopping: AbortSignal): Promise<void> {
    try {
      await this.attempt(row, stopping);
    } catch (error) {
      // An outage of the database was logged where it arose.
      if (!(error instanceof ServiceError)) this.logger.error('A mail could not be handled', { error, mail: row.id });
    }
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

  /** `dropped` if the mail has no recipient any more. */
  private async send(
    row: MailRow,
    stopping: AbortSignal,
  ): Promise<'accepted' | 'dropped' | 'interrupted' | SmtpFailure> {
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(this.sendMillis)]);
    try {
      // A template may store a link, which an attempt during an outage should not.
      if (this.relayState.isFailing) await this.relay.verify(signal);
      const composed = await this.compose(row);
      if (!composed) return 'dropped';
      if ('errorClass' in composed) return composed;
      const identity = { id: row.id, messageId: row.message_id, createdAt: row.created_at };
      await this.relay.send(composed, identity, signal);
    } catch (error) {
      return stopping.aborted ? 'interrupted' : smtpFailureOf(error);
    }
    this.recordAccepted(row);
    return 'accepted';
  }

  private async compose(row: MailRow): Promise<ComposedMail | SmtpFailure | undefined> {
    const { id, user_id: subject, created_at: createdAt } = row;
    try {
      const facts = JSON.parse(row.facts) as MailFacts;
      return await this.templates.find(row.template)?.({ id, subject, facts, createdAt });
    } catch (error) {
      if (!(error instanceof ServiceError)) {
        this.logger.error('A mail could not be composed', { error, mail: id, template: row.template });
      }
      return DEFECT;
    }
  }

  private recordAccepted({ id, template, attempts }: MailRow): void {
    this.meters.sent.increment();
    this.logger.debug('A mail was sent', { mail: id, template, attempts });
    this.relayState.recordSuccess();
  }

  private async recordFailure(row: MailRow, failure: SmtpFailure): Promise<void> {
    const { errorClass: reason, isPermanent, scope } = failure;
    const fields = { mail: row.id, template: row.template, attempts: row.attempts, reason };
    if (scope === 'relay') this.relayState.recordFailure(reason);
    // A relay that rejects one mail is there for the others.
    else if (failure !== DEFECT) this.relayState.recordSuccess();
    if (isPermanent || this.outbox.isTooOld(row)) {
      await this.outbox.giveUp(row, reason);
      this.meters.failed.increment();
      this.logger.warn('A mail could not be sent and was given up', fields);
      return;
    }
    const delay = scope === 'relay' ? this.pauseMillis : retryDelay(this.delays, row.attempts, this.random);
    await this.outbox.again(row, delay, reason);
    if (scope === 'mail') this.logger.info('A mail was not accepted and will be retried', fields);
  }
}
