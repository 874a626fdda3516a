import { Injectable } from '@nestjs/common';
import { EventRelay } from '../../../identity/events/chain/event-relay.service.js';
import { KINDS } from '../../../identity/events/security-event.js';
import type { BackgroundLoop } from '../../../platform/tasks/repeat.js';
import { ScheduledTasks } from '../../../platform/tasks/scheduled-tasks.js';
import { WebhookDeliveries } from '../webhook-deliveries.service.js';
import { WebhookSender } from './webhook-sender.service.js';
import { WebhookProperties } from '../webhook.properties.js';

const IDLE_MILLIS = 2000;
const COUNT_MILLIS = 15_000;

/**
 * Enqueues events for the webhook in the transaction that relays them, and sends all deliveries in the background of every
 * replica. The service has it only if a receiver is configured.
 */
@Injectable()
export class WebhookSenderTask {
  private readonly loop: BackgroundLoop;
  private isWoken = false;

  constructor(
    private readonly sender: WebhookSender,
    private readonly deliveries: WebhookDeliveries,
    { kinds, url }: WebhookProperties,
    relay: EventRelay,
    tasks: ScheduledTasks,
  ) {
    this.loop = tasks.repeat(
      'WebhookSender.send',
      {
        kind: 'custom',
        trigger: `after events were relayed, and every ${IDLE_MILLIS} ms`,
        initialDelayMillis: IDLE_MILLIS,
        delayMillis: () => IDLE_MILLIS,
        // Aborts the requests, and waits until the result of each is recorded.
        lastStep: { limitMillis: 1, run: () => this.sender.idle() },
      },
      (stop) => this.turn(stop),
    );
    tasks.repeat(
      'WebhookDeliveries.count',
      { kind: 'fixedDelay', initialDelayMillis: 1000, intervalMillis: COUNT_MILLIS },
      async () => {
        this.sender.meters.counts = await this.deliveries.counts();
      },
    );
    if (url === undefined) return;
    relay.subscribe(kinds.length > 0 ? kinds : KINDS, async (tx, event) => {
      await this.deliveries.enqueue(tx, event);
      tx.afterCommit(() => {
        this.wake();
      });
    });
  }

  private async turn(stop: AbortSignal): Promise<void> {
    this.isWoken = false;
    await this.sender.send(stop, () => {
      this.wake();
    });
  }

  /** Wakes the loop; several calls before the next turn have one effect. */
  wake(): void {
    if (this.isWoken) return;
    this.isWoken = true;
    void this.loop.runNow();
  }
}
