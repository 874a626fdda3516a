import { Injectable } from '@nestjs/common';
import { Clock } from '../clock/clock.js';
import { ServiceError } from '../errors/service-error.js';
import type { Logger } from '../logging/logger.js';
import { Loggers } from '../logging/loggers.js';
import { Meters } from '../metrics/meters.js';
import { continueOrigin } from '../tracing/origin-span.js';
import { OutboundHttp } from '../outbound/outbound-http.service.js';
import type { DueDelivery } from './webhook-delivery.store.js';
import { WebhookMeters } from './webhook-meters.js';
import { WebhookOutbox } from './webhook-outbox.service.js';
import { type SendResult, WebhookClient } from './webhook.client.js';
import { WebhookProperties } from './webhook.properties.js';

/** Requests at the same time. */
const MAX_REQUESTS = 16;

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
    private readonly outbox: WebhookOutbox,
    properties: WebhookProperties,
    private readonly clock: Clock,
    http: OutboundHttp,
    meters: Meters,
    loggers: Loggers,
  ) {
    this.logger = loggers.get('webhook');
    this.client = new WebhookClient(http, properties);
    this.meters = new WebhookMeters(meters);
  }

  /** Starts to send events that are due; `onEnd` is called after each. Returns the number of those that it has started. */
  async send(stop: AbortSignal, onEnd: () => void): Promise<number> {
    const free = MAX_REQUESTS - this.running.size;
    if (free === 0 || stop.aborted) return 0;
    const claimed = await this.outbox.claim(free);
    for (const delivery of claimed) {
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
    return claimed.length;
  }

  /** Resolves once no request is running, and the result of each is recorded. */
  async idle(): Promise<void> {
    await Promise.all(this.running);
  }

  private async deliver(delivery: DueDelivery, stop: AbortSignal): Promise<void> {
    const send = (): Promise<SendResult> => this.client.send(delivery, this.clock.seconds(), stop);
    const result = await continueOrigin(delivery.id, send);
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
    await this.outbox.done(delivery);
    this.meters.count('delivered');
    if (this.failures > 0) this.logger.info('The webhook accepts events again', { failures: this.failures });
    this.failures = 0;
  }

  private async recordFailed(delivery: DueDelivery, result: SendResult, stop: AbortSignal): Promise<void> {
    const { failure = 'unknown', outcome, retryAfter = 0 } = result;
    if (stop.aborted) {
      await this.outbox.release(delivery, failure);
      return;
    }
    const { kind, id } = delivery;
    if (this.failures === 0) this.logger.warn('The webhook does not accept events', { failure, kind, id });
    this.failures += 1;
    if (outcome === 'gone' || this.outbox.isTooOld(delivery)) {
      if (!(await this.outbox.bury(delivery, failure))) return;
      this.meters.count('dead');
      this.logger.warn('The webhook did not accept an event, which is a dead letter now', {
        failure,
        kind,
        id,
        attempts: delivery.attempts + 1,
      });
      return;
    }
    await this.outbox.retry(delivery, failure, retryAfter);
    this.meters.count('failed');
  }
}
