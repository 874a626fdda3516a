import { Module } from '@nestjs/common';
import { TasksModule } from '../../tasks/tasks.module.js';
import { MailBacklogTask } from './mail-backlog.task.js';
import { MailDelivery } from './mail-delivery.task.js';
import { MailDispatch } from './mail-dispatch.service.js';
import { MailIndicator } from './mail.indicator.js';
import { MailModule } from '../mail.module.js';
import { MailOutbox } from './mail-outbox.service.js';
import { MailRetries } from './mail-retries.service.js';
import { RelayTls } from './relay-tls.service.js';
import { SmtpRelay } from './smtp-relay.service.js';

/** Sends the stored mails; commands only store them. */
@Module({
  imports: [MailModule, TasksModule],
  providers: [
    ...[MailRetries, MailOutbox, RelayTls, SmtpRelay, MailDispatch],
    ...[MailDelivery, MailBacklogTask, MailIndicator],
  ],
})
export class MailDeliveryModule {}
