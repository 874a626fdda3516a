import { Module } from '@nestjs/common';
import { TasksModule } from '../../../platform/tasks/tasks.module.js';
import { BackupCodeStore } from './backup-code.store.js';
import { BackupCodes } from './backup-codes.service.js';
import { MissingPeppers } from './missing-peppers.task.js';
import { PepperUses } from './pepper-use.service.js';
import { ShownBackupCodes } from './shown-backup-codes.service.js';
import { ShownCodesStore } from './shown-codes.store.js';

/** Backup codes: their issue, their single use, and the peppers of their hashes. */
@Module({
  imports: [TasksModule],
  providers: [BackupCodeStore, BackupCodes, PepperUses, MissingPeppers, ShownCodesStore, ShownBackupCodes],
  exports: [BackupCodes, PepperUses, ShownBackupCodes],
})
export class BackupCodeModule {}
