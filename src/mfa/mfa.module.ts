import { Module } from '@nestjs/common';
import { BackupCodeModule } from '../backup-code/backup-code.module.js';
import { EventsModule } from '../events/events.module.js';
import { Meters } from '../metrics/meters.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { Attempts } from './attempts.service.js';
import { Authenticators } from './authenticators.service.js';
import { Enrolment } from './enrolment.service.js';
import { EnrolmentStore } from './enrolment.store.js';
import { LockedAccounts } from './locked-accounts.task.js';
import { Locks } from './locks.service.js';
import { SecondFactorMeters } from './second-factor-meters.js';
import { SecondFactors } from './second-factors.service.js';
import { SecondFactorStore } from './second-factor.store.js';
import { ImportedTotps } from './totp-import.service.js';
import { TotpImportStore } from './totp-import.store.js';
import { TotpSecretStore } from './totp-secret.store.js';
import { TotpSecrets } from './totp-secrets.service.js';
import { TrustedDeviceStore } from './trusted-device.store.js';
import { TrustedDevices } from './trusted-devices.service.js';

@Module({
  imports: [BackupCodeModule, EventsModule, TasksModule],
  providers: [
    SecondFactorStore,
    EnrolmentStore,
    TotpSecretStore,
    TotpImportStore,
    ImportedTotps,
    TrustedDeviceStore,
    { provide: SecondFactorMeters, inject: [Meters], useFactory: (meters: Meters) => new SecondFactorMeters(meters) },
    Locks,
    LockedAccounts,
    Attempts,
    TotpSecrets,
    Authenticators,
    SecondFactors,
    Enrolment,
    TrustedDevices,
  ],
  exports: [SecondFactors, SecondFactorMeters, Locks, Enrolment, TrustedDevices, TotpSecrets, ImportedTotps],
})
export class MfaModule {}
