import { Module } from '@nestjs/common';
import { AdministrationModule } from './administration.module.js';
import { UsersImportController } from './users-import.controller.js';
import { UsersImport } from './users-import.service.js';

/** Administration of users, for callers with `ROLE_ADMIN` and a fresh second factor. */
@Module({
  imports: [AdministrationModule],
  controllers: [UsersImportController],
  providers: [UsersImport],
})
export class AdminModule {}
