import { Module } from '@nestjs/common';
import { AccountModule } from '../../../identity/account/account.module.js';
import { MailModule } from '../../../platform/mail/mail.module.js';
import { MessagesModule } from '../../messages/messages.module.js';
import { TasksModule } from '../../../platform/tasks/tasks.module.js';
import { RecoveryMails } from '../recovery-mails.service.js';
import { RecoveryController } from './recovery.controller.js';
import { RecoveryModule } from '../recovery.module.js';
import { ResetRequests } from '../reset-requests.task.js';

/** The HTTP interface of mailed links, and the texts of their mails, which only the service sends. */
@Module({
  imports: [RecoveryModule, AccountModule, MailModule, MessagesModule, TasksModule],
  controllers: [RecoveryController],
  providers: [ResetRequests, RecoveryMails],
  exports: [RecoveryModule, ResetRequests],
})
export class RecoveryApiModule {}
