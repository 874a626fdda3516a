import { Injectable } from '@nestjs/common';
import { Clock } from '../clock/clock.js';
import { ServiceError } from '../errors/service-error.js';
import type { Logger } from '../logging/logger.js';
import { Loggers } from '../logging/loggers.js';
import { Meters } from '../metrics/meters.js';
import { UnitOfWork } from '../persistence/unit-of-work.js';
import { type DueDelivery, type DueTimes, WebhookDeliveryStore } from './webhook-delivery.store.js';
import { WebhookMeters } from './webhook-meters.js';
import { type SendResult, WebhookClient } from './webhook.client.js';
import { WebhookProperties } from './webhook.properties.js';

/** Requests at the same time. */
const MAX_REQUESTS = 16;
/**
 * A process that is killed holds its deliveries for this time beyond the timeout of a request. Replicas with clocks that
 * differ by less than this do not send an event at the same time.
 */
const MARGIN_SECONDS = 30;
/** A receiver may not postpone an event for longer. */
const MAX_RETRY_AFTER_SECONDS = 3600;

/** Sends events that are due to the receiver, and records what became of each. */
@Injectable()
export class WebhookSender {
  readonly meters: WebhookMeters;
  private readonly logger: Logger;
  private readonly client: WebhookClient;
  private readonly running = new Set<Promise<void>>();
  /** Failures in a row, of all events. */
  private failures = 0;

  constructor(
    private readonly work: UnitOfWork,
    private readonly store: WebhookDeliveryStore,
    private readonly properties: WebhookProperties,
    private readonly clock: Clock,
    meters: Meters,
    loggers: Loggers,
  ) {
    this.logger = loggers.get('webhook');
    this.client = new WebhookClient(properties);
    this.meters = new WebhookMeters(meters);
  }

  /** Starts to send events that are due; `onEnd` is called after each. Returns the number of those that it has started. */
  async send(stop: AbortSignal, onEnd: () => void): Promise<number> {
    const free = MAX_REQUESTS - this.running.size;
    if (free === 0 || stop.aborted) return 0;
    const due = await this.work.single((tx) => this.store.due(tx, this.dueTimes(), free));
    const held = await Promise.all(due.map((delivery) => this.lease(delivery)));
    const own = due.filter((_, index) => held[index]);
    for (const delivery of own) {
      const run = this.deliver(delivery, stop)
        .catch((error: unknown) => {
          this.reportDefect(error);
        })
        .finally(() => {
          this.running.delete(run);
          onEnd();
        });
      this.running.add(run);
    }
    return own.length;
  }

  /** Resolves once no request is running, and the result of each is recorded. */
  async idle(): Promise<void> {
    await Promise.all(this.running);
  }

  private lease(delivery: DueDelivery): Promise<boolean> {
    return this.work.single((tx) => this.store.lease(tx, delivery, this.clock.seconds() + this.leaseSeconds));
  }

  private get leaseSeconds(): number {
    return Math.ceil(this.properties.timeout.seconds) + MARGIN_SECONDS;
  }

  private dueTimes(): DueTimes {
    const now = this.clock.seconds();
    const delays = this.properties.retryDelays.map(({ seconds }) => Math.ceil(seconds));
    const lastAttempt = now + Math.max(MAX_RETRY_AFTER_SECONDS, ...delays) + MARGIN_SECONDS;
    return { now, lastAttempt, lastLease: now + this.leaseSeconds + MARGIN_SECONDS };
  }

  private async deliver(delivery: DueDelivery, stop: AbortSignal): Promise<void> {
    const result = await this.client.send(delivery, this.clock.seconds(), stop);
    if (result.outcome === 'accepted') await this.recordAccepted(delivery);
    else await this.recordFailed(delivery, result, stop);
  }

  /** The event is sent again after its lease. An outage of the database was logged where it arose. */
  private reportDefect(error: unknown): void {
    if (!(error instanceof ServiceError))
      this.logger.error('The result of a webhook request was not recorded', { error });
  }

  /** If the process is killed before, the event is sent again with the same id. */
  private async recordAccepted(delivery: DueDelivery): Promise<void> {
    await this.work.single((tx) => this.store.delete(tx, delivery));
    this.meters.count('delivered');
    if (this.failures > 0) this.logger.info('The webhook accepts events again', { failures: this.failures });
    this.failures = 0;
  }

  private async recordFailed(delivery: DueDelivery, result: SendResult, stop: AbortSignal): Promise<void> {
    const { failure = 'unknown', outcome, retryAfter = 0 } = result;
    const now = this.clock.seconds();
    if (stop.aborted) {
      await this.work.single((tx) => this.store.fail(tx, delivery, failure, now));
      return;
    }
    const attempts = delivery.attempts + 1;
    const { kind, id } = delivery;
    if (this.failures === 0) this.logger.warn('The webhook does not accept events', { failure, kind, id });
    this.failures += 1;
    if (outcome === 'gone' || now - delivery.created_at >= this.properties.giveUpAfter.seconds) {
      await this.work.single((tx) => this.store.bury(tx, delivery, failure, now));
      this.meters.count('dead');
      this.logger.warn('The webhook did not accept an event, which is a dead letter now', {
        failure,
        kind,
        id,
        attempts,
      });
      return;
    }
    const delay = Math.max(this.properties.delayAfter(attempts), Math.min(retryAfter, MAX_RETRY_AFTER_SECONDS));
    await this.work.run((tx) => this.store.fail(tx, delivery, failure, now + delay));
    this.meters.count('failed');
  }
}
