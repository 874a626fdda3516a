import { Module } from '@nestjs/common';
import { EventsModule } from '../../identity/events/events.module.js';
import { MfaModule } from '../../identity/second-factor/mfa.module.js';
import { DatabaseRestore } from './database-restore.service.js';

/** Apart from the other use cases: a restore needs no signing keys, which the replaced database may have lost. */
@Module({ imports: [MfaModule, EventsModule], providers: [DatabaseRestore], exports: [DatabaseRestore] })
export class RestoreModule {}
