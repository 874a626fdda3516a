import { Module } from '@nestjs/common';
import { EventsModule } from '../../identity/events/events.module.js';
import { WebhookDeliveries } from './webhook-deliveries.service.js';
import { WebhookDeliveryStore } from './webhook-delivery.store.js';

/** Stores the deliveries of the webhook; sends nothing. */
@Module({
  imports: [EventsModule],
  providers: [WebhookDeliveryStore, WebhookDeliveries],
  exports: [WebhookDeliveryStore, WebhookDeliveries],
})
export class WebhookModule {}
