import type { Meters } from '../../../observability/metrics/meters.js';
import type { Counter } from '../../../observability/metrics/meter.js';

export type DeliveryResult = 'delivered' | 'failed' | 'dead';

/** Counts attempts by result, and reports the stored deliveries of all replicas at the last count. */
export class WebhookMeters {
  counts = { pending: 0, dead: 0 };
  private readonly attempts: Readonly<Record<DeliveryResult, Counter>>;

  constructor(meters: Meters) {
    const description = 'Attempts to deliver a security event to the webhook, by result';
    const family = meters.counter('webhook.deliveries', { description });
    const of = (result: DeliveryResult): Counter => family.of({ result });
    this.attempts = { delivered: of('delivered'), failed: of('failed'), dead: of('dead') };
    const waiting = 'Events of all replicas that the webhook has not delivered, every 15 seconds';
    meters.gauge('webhook.pending', { description: waiting }, () => this.counts.pending);
    const dead = 'Events of all replicas that were given up, every 15 seconds';
    meters.gauge('webhook.dead', { description: dead }, () => this.counts.dead);
  }

  count(result: DeliveryResult): void {
    this.attempts[result].increment();
  }
}
