import { Module } from '@nestjs/common';
import { TokenModule } from '../../../identity/token/token.module.js';
import { AdminModule } from '../admin.module.js';
import { EventsController } from './events.controller.js';
import { ExportStreams } from '../export-streams.service.js';
import { KeyAdministration } from '../key-administration.service.js';
import { KeysController } from './keys.controller.js';
import { UserAccessController } from './user-access.controller.js';
import { UsersController } from './users.controller.js';
import { UsersImportController } from './users-import.controller.js';
import { UsersImport } from '../users-import.service.js';

/** Administration over HTTP, for callers with `ROLE_ADMIN` or `ROLE_HELPDESK` and a fresh second factor. */
@Module({
  imports: [AdminModule, TokenModule],
  controllers: [UsersImportController, UsersController, UserAccessController, EventsController, KeysController],
  providers: [UsersImport, KeyAdministration, ExportStreams],
  exports: [UsersImport],
})
export class AdminApiModule {}
