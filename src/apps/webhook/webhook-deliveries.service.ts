import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { type Tx, UnitOfWork } from '../../platform/persistence/unit-of-work.js';
import type { EventRow } from '../../identity/events/event-line.js';
import type { EndedSession } from '../../signin/oidc/logout/logout-tokens.service.js';
import { type ListedDelivery, WebhookDeliveryStore } from './webhook-delivery.store.js';
import { bodyOf, LOGOUT, WEBHOOK } from './webhook-message.js';
import { WebhookProperties } from './webhook.properties.js';

export type { ListedDelivery } from './webhook-delivery.store.js';

/** The events that wait for the receiver, and the dead letters. */
@Injectable()
export class WebhookDeliveries {
  constructor(
    private readonly work: UnitOfWork,
    private readonly store: WebhookDeliveryStore,
    private readonly properties: WebhookProperties,
    private readonly clock: Clock,
  ) {}

  /** Enqueues an event; events without a user have no order. */
  async enqueue(tx: Tx, event: EventRow): Promise<void> {
    const { id, kind, user_id } = event;
    const now = this.clock.seconds();
    await this.store.add(
      tx,
      { id, kind, queue: user_id ?? id, target: WEBHOOK, body: bodyOf(event) },
      now,
      this.expiryOf(now),
    );
  }

  /** Enqueues the end of a session of an application, which its address for logouts is told once. */
  async enqueueLogout(tx: Tx, ended: EndedSession): Promise<void> {
    const now = this.clock.seconds();
    const { sid: id, client: target } = ended;
    const delivery = { id, kind: LOGOUT, queue: id, target, body: JSON.stringify(ended) };
    await this.store.add(tx, delivery, now, this.expiryOf(now));
  }

  /** Deliveries in this state after the id `after`, oldest first. */
  list(state: ListedDelivery['state'], after: string, limit: number): Promise<readonly ListedDelivery[]> {
    return this.work.single((tx) => this.store.list(tx, state, after, limit));
  }

  counts(): ReturnType<WebhookDeliveryStore['counts']> {
    return this.work.single((tx) => this.store.counts(tx));
  }

  /** Sends one dead letter again, or all; returns their number. */
  resend(id: string | undefined, tx: Tx): Promise<number> {
    const now = this.clock.seconds();
    return this.store.revive(tx, id, now, this.expiryOf(now));
  }

  private expiryOf(now: number): number {
    return now + Math.ceil(this.properties.giveUpAfter.seconds);
  }
}
