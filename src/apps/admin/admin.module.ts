import { Module } from '@nestjs/common';
import { TokenModule } from '../../identity/token/token.module.js';
import { AdministrationModule } from './administration.module.js';
import { EventsController } from './api/events.controller.js';
import { ExportStreams } from './export-streams.service.js';
import { KeyAdministration } from './key-administration.service.js';
import { KeysController } from './api/keys.controller.js';
import { UserAccessController } from './api/user-access.controller.js';
import { UsersController } from './api/users.controller.js';
import { UsersImportController } from './api/users-import.controller.js';
import { UsersImport } from './users-import.service.js';

/** Administration over HTTP, for callers with `ROLE_ADMIN` or `ROLE_HELPDESK` and a fresh second factor. */
@Module({
  imports: [AdministrationModule, TokenModule],
  controllers: [UsersImportController, UsersController, UserAccessController, EventsController, KeysController],
  providers: [UsersImport, KeyAdministration, ExportStreams],
})
export class AdminModule {}
