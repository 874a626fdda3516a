import { Module } from '@nestjs/common';
import { EventsModule } from '../../../identity/events/events.module.js';
import { OutboundModule } from '../../../platform/outbound/outbound.module.js';
import { TasksModule } from '../../../platform/tasks/tasks.module.js';
import { LogoutTokensModule } from '../../../signin/oidc/logout/logout-tokens.module.js';
import { BackchannelLogouts } from './backchannel-logouts.service.js';
import { WebhookModule } from '../webhook.module.js';
import { WebhookOutbox } from './webhook-outbox.service.js';
import { WebhookSender } from './webhook-sender.service.js';
import { WebhookSenderTask } from './webhook-sender.task.js';
import { WebhookClient } from './webhook.client.js';

/** Sends the deliveries; part of the service, not of commands. */
@Module({
  imports: [LogoutTokensModule, WebhookModule, EventsModule, OutboundModule, TasksModule],
  providers: [WebhookOutbox, WebhookClient, WebhookSender, WebhookSenderTask, BackchannelLogouts],
})
export class WebhookSenderModule {}
