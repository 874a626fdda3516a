import { Injectable } from '@nestjs/common';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import type { Logger } from '../../../observability/logging/logger.js';
import { Loggers } from '../../../observability/logging/loggers.js';
import { Meters } from '../../../observability/metrics/meters.js';
import { continueOrigin } from '../../../observability/tracing/span.js';
import { TaskExecutor } from '../../../platform/tasks/task-executor.js';
import type { DueDelivery } from '../webhook-delivery.store.js';
import { WEBHOOK } from '../webhook-message.js';
import { WebhookMeters } from './webhook-meters.js';
import { WebhookOutbox } from './webhook-outbox.service.js';
import { type SendResult, WebhookClient } from './webhook.client.js';

/** Places of the executor that are left to other tasks, so that a receiver that hangs does not delay a mail. */
const PLACES_OF_OTHERS = 2;
/** Places that an application may occupy; the webhook leaves as many where applications have addresses for logouts. */
const PLACES_OF_APPLICATION = 2;

/** A delivery that waits for a place of the executor, or is sent. */
interface Running {
  readonly target: string;
  readonly end: Promise<void>;
}

/** Sends due events to the receiver and records the outcome of each delivery. */
@Injectable()
export class WebhookSender {
  readonly meters: WebhookMeters;
  private readonly logger: Logger;
  private readonly maxRequests: number;
  /** Running and waiting tasks by event id. */
  private readonly running = new Map<string, Running>();
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
   * Submits tasks for events that are due. A task claims its event when it starts: an event whose task waits or is rejected
   * stays in its row, for a later turn of any replica. `onEnd` is called after each task that could be carried out. Returns the
   * number of tasks.
   */
  async send(stop: AbortSignal, onEnd: () => void): Promise<number> {
    const begin = (delivery: DueDelivery): boolean => this.hasPlace(delivery) && this.begin(delivery, stop, onEnd);
    if (stop.aborted) return 0;
    const first = await this.beginOfIdleTargets(begin);
    const full = [...this.targets()].filter(([target, number]) => number >= this.placesOf(target));
    if (first === 0 && this.running.size === 0) return 0;
    const due = await this.due(full.map(([target]) => target));
    return first + due.filter(begin).length;
  }

  /** Begins one event of each target that has no request: targets that hang do not delay the others. */
  private async beginOfIdleTargets(begin: (delivery: DueDelivery) => boolean): Promise<number> {
    const busy = new Set(this.targets().keys());
    for (let number = 0; ; number += 1) {
      const due = await this.due([...busy]);
      const next = due.find(begin);
      if (!next) return number;
      busy.add(next.target);
    }
  }

  /** Events whose tasks wait are still due. */
  private async due(except: readonly string[]): Promise<readonly DueDelivery[]> {
    return this.running.size < this.maxRequests ? this.outbox.due(this.maxRequests, except) : [];
  }

  private hasPlace({ id, target }: DueDelivery): boolean {
    const isFree = this.running.size < this.maxRequests && !this.running.has(id);
    return isFree && (this.targets().get(target) ?? 0) < this.placesOf(target);
  }

  private placesOf(target: string): number {
    if (target !== WEBHOOK) return PLACES_OF_APPLICATION;
    return this.client.sendsLogouts ? Math.max(1, this.maxRequests - PLACES_OF_APPLICATION) : this.maxRequests;
  }

  /** The number of running requests by target. */
  private targets(): ReadonlyMap<string, number> {
    const numbers = new Map<string, number>();
    for (const { target } of this.running.values()) numbers.set(target, (numbers.get(target) ?? 0) + 1);
    return numbers;
  }

  /** Resolves once no request is running, and the result of each is recorded. */
  async idle(): Promise<void> {
    await Promise.all(Array.from(this.running.values(), ({ end }) => end));
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
    this.running.set(delivery.id, { target: delivery.target, end });
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
