import { Module } from '@nestjs/common';
import { AccountModule } from '../../identity/account/account.module.js';
import { EventsModule } from '../../identity/events/events.module.js';
import { MailModule } from '../../platform/mail/mail.module.js';
import { MessagesModule } from '../../signin/messages/messages.module.js';
import { RecoveryModule } from '../../signin/recovery/recovery.module.js';
import { NoticeCountStore } from './notice-count.store.js';
import { NoticeMails } from './notice-mails.service.js';
import { Notices } from './notices.service.js';

/** Mails users notices about events of their accounts. */
@Module({
  imports: [AccountModule, EventsModule, MailModule, MessagesModule, RecoveryModule],
  providers: [NoticeCountStore, NoticeMails, Notices],
})
export class NoticesModule {}
