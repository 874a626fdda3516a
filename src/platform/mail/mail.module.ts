import { Module } from '@nestjs/common';
import { MailBacklog } from './mail-backlog.service.js';
import { MailMessageStore } from './mail-message.store.js';
import { MailQueue } from './mail-queue.service.js';
import { MailSender } from './mail-sender.service.js';
import { MailTemplates } from './mail-templates.service.js';

/** Stores mails; only the service itself sends them. */
@Module({
  providers: [MailSender, MailMessageStore, MailQueue, MailTemplates, MailBacklog],
  exports: [MailMessageStore, MailSender, MailQueue, MailTemplates, MailBacklog],
})
export class MailModule {}
