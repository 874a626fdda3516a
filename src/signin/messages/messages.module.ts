import { Module } from '@nestjs/common';
import { MailComposer } from './mail-composer.service.js';

/** Writes mails with the texts of the catalogue. */
@Module({ providers: [MailComposer], exports: [MailComposer] })
export class MessagesModule {}
