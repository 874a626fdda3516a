import { Module } from '@nestjs/common';
import { AccountModule } from '../account/account.module.js';
import { EventsModule } from '../events/events.module.js';
import { MailModule } from '../mail/mail.module.js';
import { RecoveryModule } from '../recovery/recovery.module.js';
import { NoticeCountStore } from './notice-count.store.js';
import { NoticeMails } from './notice-mails.service.js';
import { Notices } from './notices.service.js';

/** Mails to users about what happened to their accounts. */
@Module({
  imports: [AccountModule, EventsModule, MailModule, RecoveryModule],
  providers: [NoticeCountStore, NoticeMails, Notices],
})
export class NoticesModule {}
