import { Module } from '@nestjs/common';
import { AccountModule } from '../account/account.module.js';
import { MfaModule } from '../second-factor/mfa.module.js';
import { UsersImportController } from './users-import.controller.js';
import { UsersImport } from './users-import.service.js';

/** Administration of users, for callers with `ROLE_ADMIN` and a fresh second factor. */
@Module({
  imports: [AccountModule, MfaModule],
  controllers: [UsersImportController],
  providers: [UsersImport],
})
export class AdminModule {}
