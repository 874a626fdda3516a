import { Module } from '@nestjs/common';
import { BackupCodeStore } from './backup-code.store.js';
import { BackupCodes } from './backup-codes.service.js';

@Module({ providers: [BackupCodeStore, BackupCodes], exports: [BackupCodes] })
export class BackupCodeModule {}
