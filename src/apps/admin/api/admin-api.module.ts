import { Module } from '@nestjs/common';
import { SessionModule } from '../../../identity/session/session.module.js';
import { TokenModule } from '../../../identity/token/token.module.js';
import { ClientModule } from '../../../identity/client/client.module.js';
import { AdminModule } from '../admin.module.js';
import { ClientDirectory } from '../client-directory.service.js';
import { ClientsController } from './clients.controller.js';
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
  imports: [AdminModule, ClientModule, TokenModule, SessionModule],
  controllers: [
    UsersImportController,
    UsersController,
    UserAccessController,
    EventsController,
    KeysController,
    ClientsController,
  ],
  providers: [UsersImport, KeyAdministration, ExportStreams, ClientDirectory],
  exports: [UsersImport, ClientDirectory],
})
export class AdminApiModule {}
