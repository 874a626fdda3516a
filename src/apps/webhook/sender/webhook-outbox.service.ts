import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/clock.js';
import { UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import { type DueDelivery, type DueTimes, WebhookDeliveryStore } from '../webhook-delivery.store.js';
import { WebhookProperties } from '../webhook.properties.js';

/**
 * Time that a lease lasts beyond the timeout of a request. Replicas with clocks that differ by less do not send an
 * event at the same time.
 */
const MARGIN_SECONDS = 30;
/** Maximum delay that a receiver can request. */
const MAX_RETRY_AFTER_SECONDS = 3600;

/** Claims events for this replica and records the outcome of their deliveries. */
@Injectable()
export class WebhookOutbox {
  constructor(
    private readonly store: WebhookDeliveryStore,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly properties: WebhookProperties,
  ) {}

  /** At most `limit` events that are due, and none to the targets in `except`. */
  due(limit: number, except: readonly string[]): Promise<readonly DueDelivery[]> {
    return this.work.single((tx) => this.store.due(tx, this.dueTimes(), limit, except));
  }

  /** Claims an event; false if another replica was faster. If this replica dies, another one sends it after the lease. */
  claim(delivery: DueDelivery): Promise<boolean> {
    const until = this.clock.seconds() + this.leaseSeconds;
    return this.work.single((tx) => this.store.lease(tx, delivery, until));
  }

  /** Removes an event that the receiver has accepted. */
  done(delivery: DueDelivery): Promise<void> {
    return this.work.single((tx) => this.store.delete(tx, delivery));
  }

  /** Lets any replica send an event whose request was interrupted. */
  release(delivery: DueDelivery, failure: string): Promise<void> {
    return this.work.run((tx) => this.store.fail(tx, delivery, failure, this.clock.seconds()));
  }

  /** Plans the next attempt after the configured delay, or after `retryAfter` seconds if the receiver asks for more. */
  retry(delivery: DueDelivery, failure: string, retryAfter: number): Promise<void> {
    const configured = this.properties.delayAfter(delivery.attempts + 1);
    const delay = Math.max(configured, Math.min(retryAfter, MAX_RETRY_AFTER_SECONDS));
    return this.work.run((tx) => this.store.fail(tx, delivery, failure, this.clock.seconds() + delay));
  }

  /** Makes an event a dead letter. Returns false if another replica has decided already. */
  bury(delivery: DueDelivery, failure: string): Promise<boolean> {
    return this.work.single((tx) => this.store.bury(tx, delivery, failure, this.clock.seconds()));
  }

  isTooOld({ created_at: createdAt }: DueDelivery): boolean {
    return this.clock.seconds() - createdAt >= this.properties.giveUpAfter.seconds;
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
}
