import { Module } from '@nestjs/common';
import { BackupCodeFactor } from './backup-code/backup-code-factor.service.js';
import { BackupCodeModule } from './backup-code/backup-code.module.js';
import { EventsModule } from '../events/events.module.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { AttemptBudget } from './attempts/attempt-budget.service.js';
import { Attempts } from './attempts/attempts.service.js';
import { Authenticators } from './enrolment/authenticators.service.js';
import { Enrolment } from './enrolment/enrolment.service.js';
import { EnrolmentStore } from './enrolment/enrolment.store.js';
import { LockedAccounts } from './attempts/locked-accounts.task.js';
import { Locks } from './attempts/locks.service.js';
import { SecondFactorMeters } from './attempts/second-factor-meters.service.js';
import type { SecondFactor } from './second-factor.js';
import { SECOND_FACTORS, SecondFactors } from './second-factors.service.js';
import { SecondFactorStore } from './second-factor.store.js';
import { TotpFactor } from './totp/totp-factor.service.js';
import { ImportedTotps } from './totp/totp-import.service.js';
import { TotpImportStore } from './totp/totp-import.store.js';
import { TotpSecretStore } from './totp/totp-secret.store.js';
import { TotpSecrets } from './totp/totp-secrets.service.js';
import { TrustedDeviceStore } from './trusted-device/trusted-device.store.js';
import { TrustedDevices } from './trusted-device/trusted-devices.service.js';

@Module({
  imports: [BackupCodeModule, EventsModule, TasksModule],
  providers: [
    SecondFactorStore,
    EnrolmentStore,
    TotpSecretStore,
    TotpImportStore,
    ImportedTotps,
    TrustedDeviceStore,
    SecondFactorMeters,
    Locks,
    LockedAccounts,
    AttemptBudget,
    Attempts,
    TotpSecrets,
    Authenticators,
    TotpFactor,
    BackupCodeFactor,
    {
      provide: SECOND_FACTORS,
      inject: [TotpFactor, BackupCodeFactor],
      useFactory: (...factors: readonly SecondFactor[]): readonly SecondFactor[] => factors,
    },
    SecondFactors,
    Enrolment,
    TrustedDevices,
  ],
  exports: [SecondFactors, SecondFactorMeters, Locks, Enrolment, TrustedDevices, TotpSecrets, ImportedTotps],
})
export class MfaModule {}
