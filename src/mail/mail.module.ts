import { Module } from '@nestjs/common';
import { MailIndicator } from './mail.indicator.js';

@Module({ providers: [MailIndicator] })
export class MailModule {}
