import { Module } from '@nestjs/common';
import { AccountModule } from '../../../identity/account/account.module.js';
import { MailModule } from '../../../platform/mail/mail.module.js';
import { MessagesModule } from '../../messages/messages.module.js';
import { TasksModule } from '../../../platform/tasks/tasks.module.js';
import { AuthModule } from '../../auth/auth.module.js';
import { AddressMails } from '../address-mails.service.js';
import { OwnAddress } from '../own-address.service.js';
import { AddressLinkController } from './address-link.controller.js';
import { OwnAddressController } from './own-address.controller.js';
import { RecoveryMails } from '../recovery-mails.service.js';
import { RecoveryController } from './recovery.controller.js';
import { RecoveryModule } from '../recovery.module.js';
import { ResetRequests } from '../reset-requests.task.js';

/** The HTTP interface of mailed links, and the texts of their mails, which only the service sends. */
@Module({
  imports: [RecoveryModule, AuthModule, AccountModule, MailModule, MessagesModule, TasksModule],
  controllers: [RecoveryController, OwnAddressController, AddressLinkController],
  providers: [ResetRequests, RecoveryMails, AddressMails, OwnAddress],
  exports: [RecoveryModule, ResetRequests, OwnAddress],
})
export class RecoveryApiModule {}
