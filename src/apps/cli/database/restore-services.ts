import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { DatabaseRestore } from '../../admin/database-restore.service.js';
import { EventsModule } from '../../../identity/events/events.module.js';
import { MfaModule } from '../../../identity/second-factor/mfa.module.js';
import { HostFactsModule } from '../../../signin/host/host-facts.module.js';
import { ClockModule } from '../../../kernel/clock/clock.module.js';
import { RandomModule } from '../../../kernel/random/random.module.js';
import type { RestoreServices } from './backup.command.js';
import { type CommandInputs, openContext } from '../service-context.js';

@Module({
  imports: [ClockModule, RandomModule, HostFactsModule, MfaModule, EventsModule],
  providers: [DatabaseRestore],
})
class RestoreCommandModule {}

/**
 * The part of the service that `restore` needs; the caller must close it. It opens no signing keys of the database, whose
 * seal key may be lost: the restore replaces them.
 * @throws ConfigurationFailure if the database or a seal key cannot be opened
 */
export async function openRestoreServices(inputs: CommandInputs): Promise<RestoreServices> {
  const { context, close } = await openContext(RestoreCommandModule, inputs);
  return { databaseRestore: context.get(DatabaseRestore), close };
}
