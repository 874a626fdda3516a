import { AccountModule } from '../account/account.module.js';
import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module.js';
import { SecurityEvents } from '../events/security-events.service.js';
import { Meters } from '../../observability/metrics/meters.js';
import { TasksModule } from '../../platform/tasks/tasks.module.js';
import { AccessCodeAttempts } from './access-code/access-code-attempts.service.js';
import { AccessCodeStore } from './access-code/access-code.store.js';
import { AccessCodes } from './access-code/access-codes.service.js';
import { AttemptBudget } from './attempts/attempt-budget.service.js';
import { AttemptMeters } from './attempts/attempt-meters.js';
import { LockedAccounts } from './attempts/locked-accounts.task.js';
import { BackupCodeFactor } from './backup-code/backup-code-factor.service.js';
import { BackupCodeModule } from './backup-code/backup-code.module.js';
import { AuthenticatorListStore } from './enrolment/authenticator-list.store.js';
import { Authenticators } from './enrolment/authenticators.service.js';
import { AuthenticatorRemoval } from './enrolment/authenticator-removal.service.js';
import { EnrolledAuthenticators } from './enrolment/enrolled-authenticators.service.js';
import { ObsoleteAuthenticators } from './enrolment/obsolete-authenticators.service.js';
import { PasskeySetup } from './enrolment/passkey-setup.service.js';
import { PasskeyRegistrations } from './passkey/passkey-registrations.service.js';
import { Enrolment } from './enrolment/enrolment.service.js';
import { EnrolmentStore } from './enrolment/enrolment.store.js';
import { PendingSecrets } from './enrolment/pending-secrets.service.js';
import { SecondFactorSetup } from './enrolment/setup.service.js';
import type { SecondFactorsById } from './second-factor.js';
import { MfaPolicy } from './mfa-policy.service.js';
import { SecondFactorStore } from './second-factor.store.js';
import { SECOND_FACTORS, SecondFactors } from './second-factors.service.js';
import { AttestationPolicy } from './passkey/attestation/attestation-policy.service.js';
import { AuthenticatorMetadata } from './passkey/attestation/authenticator-metadata.service.js';
import { PasskeyStore } from './passkey/passkey.store.js';
import { PasskeyChallengeStore } from './passkey/passkey-challenge.store.js';
import { PasskeyCeremonies } from './passkey/passkey-ceremonies.service.js';
import { AssertionVerifier } from './passkey/assertion-verifier.service.js';
import { PasskeySignIn } from './passkey/passkey-sign-in.service.js';
import { PasskeyUse } from './passkey/passkey-use.service.js';
import { SignInChallenges } from './passkey/sign-in-challenges.service.js';
import { PasskeyAssertions } from './passkey/passkey-assertions.service.js';
import { PasskeyFactor } from './passkey/passkey-factor.service.js';
import { RelyingParty } from './passkey/relying-party.service.js';
import { TotpFactor } from './totp/totp-factor.service.js';
import { ImportedTotps } from './totp/totp-import.service.js';
import { TotpImportStore } from './totp/totp-import.store.js';
import { TotpSecretStore } from './totp/totp-secret.store.js';
import { OtpauthIssuer } from './totp/otpauth-issuer.service.js';
import { TotpSecrets } from './totp/totp-secrets.service.js';
import { TrustedDeviceList } from './trusted-device/trusted-device-list.service.js';
import { TrustedDeviceStore } from './trusted-device/trusted-device.store.js';
import { TrustedDevices } from './trusted-device/trusted-devices.service.js';

/** Second factors: verification under one budget of attempts, enrolment, and trusted devices. */
@Module({
  imports: [AccountModule, EventsModule, TasksModule, BackupCodeModule],
  providers: [
    SecondFactorStore,
    EnrolmentStore,
    TotpSecretStore,
    TotpImportStore,
    TrustedDeviceStore,
    {
      provide: AttemptMeters,
      inject: [Meters, SecurityEvents],
      useFactory: (meters: Meters, events: SecurityEvents) => new AttemptMeters(meters, events),
    },
    LockedAccounts,
    AttemptBudget,
    AccessCodeStore,
    AccessCodes,
    AccessCodeAttempts,
    OtpauthIssuer,
    TotpSecrets,
    TotpFactor,
    BackupCodeFactor,
    RelyingParty,
    MfaPolicy,
    AuthenticatorMetadata,
    AttestationPolicy,
    PasskeyStore,
    PasskeyChallengeStore,
    AssertionVerifier,
    PasskeyAssertions,
    PasskeyUse,
    SignInChallenges,
    PasskeySignIn,
    PasskeyFactor,
    PasskeyCeremonies,
    PasskeyRegistrations,
    {
      provide: SECOND_FACTORS,
      inject: [PasskeyFactor, TotpFactor, BackupCodeFactor],
      useFactory: (passkey: PasskeyFactor, totp: TotpFactor, backup_code: BackupCodeFactor): SecondFactorsById => ({
        passkey,
        totp,
        backup_code,
      }),
    },
    SecondFactors,
    AuthenticatorListStore,
    ObsoleteAuthenticators,
    Authenticators,
    AuthenticatorRemoval,
    EnrolledAuthenticators,
    PasskeySetup,
    PendingSecrets,
    SecondFactorSetup,
    Enrolment,
    ImportedTotps,
    TrustedDevices,
    TrustedDeviceList,
  ],
  exports: [
    SecondFactors,
    AttemptBudget,
    AccessCodes,
    AccessCodeAttempts,
    SecondFactorSetup,
    PendingSecrets,
    Enrolment,
    EnrolledAuthenticators,
    PasskeySetup,
    PasskeyRegistrations,
    PasskeySignIn,
    PasskeyUse,
    SignInChallenges,
    RelyingParty,
    TrustedDevices,
    TrustedDeviceList,
    TotpSecrets,
    ImportedTotps,
    BackupCodeModule,
    PasskeyCeremonies,
    MfaPolicy,
    LockedAccounts,
  ],
})
export class MfaModule {}
