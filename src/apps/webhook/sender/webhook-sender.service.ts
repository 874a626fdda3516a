import { Injectable } from '@nestjs/common';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import type { Logger } from '../../../observability/logging/logger.js';
import { Loggers } from '../../../observability/logging/loggers.js';
import { Meters } from '../../../observability/metrics/meters.js';
import { continueOrigin } from '../../../observability/tracing/span.js';
import { TaskExecutor } from '../../../platform/tasks/task-executor.js';
import type { DueDelivery } from '../webhook-delivery.store.js';
import { WebhookMeters } from './webhook-meters.js';
import { WebhookOutbox } from './webhook-outbox.service.js';
import { type SendResult, WebhookClient } from './webhook.client.js';

/** Places of the executor that are left to other tasks, so that a receiver that hangs does not delay a mail. */
const PLACES_OF_OTHERS = 2;

/** Sends due events to the receiver and records the outcome of each delivery. */
@Injectable()
export class WebhookSender {
  readonly meters: WebhookMeters;
  private readonly logger: Logger;
  private readonly maxRequests: number;
  /** Running and waiting tasks by event id. */
  private readonly running = new Map<string, Promise<void>>();
  /** Consecutive failures, over all events. */
  private failures = 0;

  constructor(
    private readonly outbox: WebhookOutbox,
    private readonly client: WebhookClient,
    private readonly executor: TaskExecutor,
    meters: Meters,
    loggers: Loggers,
  ) {
    this.logger = loggers.get('webhook');
    this.meters = new WebhookMeters(meters);
    this.maxRequests = Math.max(1, executor.coreSize - PLACES_OF_OTHERS);
  }

  /**
   * Submits a task for each event that is due. A task claims its event when it starts: an event whose task waits or is
   * rejected stays in its row, for a later turn of any replica. `onEnd` is called after each task that could be carried out.
   * Returns the number of tasks.
   */
  async send(stop: AbortSignal, onEnd: () => void): Promise<number> {
    const free = this.maxRequests - this.running.size;
    if (free <= 0 || stop.aborted) return 0;
    // Events whose tasks wait are still due.
    const due = await this.outbox.due(this.maxRequests);
    const next = due.filter(({ id }) => !this.running.has(id)).slice(0, free);
    return next.filter((delivery) => this.begin(delivery, stop, onEnd)).length;
  }

  /** Resolves once no request is running, and the result of each is recorded. */
  async idle(): Promise<void> {
    await Promise.all(this.running.values());
  }

  private begin(delivery: DueDelivery, stop: AbortSignal, onEnd: () => void): boolean {
    const task = this.executor.submit('WebhookSender.send', () => this.claimAndDeliver(delivery, stop));
    if ('rejected' in task) return false;
    const end = task.result.then(
      () => {
        this.running.delete(delivery.id);
        onEnd();
      },
      (error: unknown) => {
        this.running.delete(delivery.id);
        this.reportDefect(error);
      },
    );
    this.running.set(delivery.id, end);
    return true;
  }

  private async claimAndDeliver(delivery: DueDelivery, stop: AbortSignal): Promise<void> {
    if (!stop.aborted && (await this.outbox.claim(delivery))) await this.deliver(delivery, stop);
  }

  private async deliver(delivery: DueDelivery, stop: AbortSignal): Promise<void> {
    const send = (): Promise<SendResult> => this.client.send(delivery, stop);
    const result = await continueOrigin(delivery.id, send);
    if (result.outcome === 'accepted') await this.recordAccepted(delivery);
    else await this.recordFailed(delivery, result, stop);
  }

  /**
   * Logs a defect of a task; the event is sent again after its lease. Outages of the database were logged where they
   * arose.
   */
  private reportDefect(error: unknown): void {
    if (!(error instanceof ServiceError))
      this.logger.error('The result of a webhook request was not recorded', { error });
  }

  /**
   * Records that the receiver accepted the event. A process that is killed before sends the event again with the same
   * id.
   */
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
