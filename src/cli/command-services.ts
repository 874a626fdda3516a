import 'reflect-metadata';
import { type INestApplicationContext, Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AccountChanges } from '../account/account-changes.service.js';
import { AccountCreation } from '../account/account-creation.service.js';
import { AccountImport } from '../account/import/account-import.service.js';
import { AccountModule } from '../account/account.module.js';
import { Accounts } from '../account/accounts.service.js';
import { randomPassword } from '../account/password/random-password.js';
import { StaffAccounts } from '../account/staff/staff-accounts.service.js';
import type { KeysServices } from './keys.command.js';
import type { SamlServices } from './saml.command.js';
import type { UsersServices } from './users-services.command.js';
import { ClockModule } from '../clock/clock.module.js';
import { ConfigModule } from '../config/config.module.js';
import { CommandLog } from './command-log.js';
import type { Configuration, ConfigurationInputs } from '../config/configuration.js';
import type { Loggers } from '../logging/loggers.js';
import { LoggingModule } from '../logging/logging.module.js';
import { Meters } from '../metrics/meters.js';
import { MetricsModule } from '../metrics/metrics.module.js';
import { Enrolment } from '../second-factor/enrolment/enrolment.service.js';
import { MfaModule } from '../second-factor/mfa.module.js';
import { Locks } from '../second-factor/attempts/locks.service.js';
import { ImportedTotps } from '../second-factor/totp/totp-import.service.js';
import { TotpSecrets } from '../second-factor/totp/totp-secrets.service.js';
import { TrustedDevices } from '../second-factor/trusted-device/trusted-devices.service.js';
import { dataFolder } from '../persistence/data-folder.js';
import { DatasourceProperties } from '../persistence/datasource.properties.js';
import { PersistenceModule } from '../persistence/persistence.module.js';
import { UnitOfWork } from '../persistence/unit-of-work.js';
import { Random } from '../random/random.js';
import { RandomModule } from '../random/random.module.js';
import { MetadataRequestsModule } from '../saml/idp/metadata-requests.module.js';
import { MetadataRequests } from '../saml/idp/metadata-requests.service.js';
import { SamlProperties } from '../saml/saml.properties.js';
import { Sealer } from '../sealing/sealer.js';
import { SealingModule } from '../sealing/sealing.module.js';
import { analyzeFailure } from '../boot/failure-analysis.js';
import { IssuerModule } from '../auth/issuer.module.js';
import { KeyRotation } from '../token/keys/key-rotation.service.js';
import { Sessions } from '../session/sessions.service.js';
import { SessionModule } from '../session/session.module.js';
import { TokenModule } from '../token/token.module.js';

/** The service without its listeners, for one command. */
@Module({
  imports: [
    ClockModule,
    RandomModule,
    PersistenceModule,
    AccountModule,
    SessionModule,
    IssuerModule,
    TokenModule,
    MfaModule,
    MetadataRequestsModule,
  ],
})
class CommandModule {
  static of(configuration: Configuration, loggers: Loggers): DynamicModule {
    const { url } = configuration.get(DatasourceProperties);
    return {
      module: CommandModule,
      imports: [
        ConfigModule.of(configuration),
        LoggingModule.of(loggers),
        // No endpoint shows the meters of a command.
        MetricsModule.of(new Meters()),
        SealingModule.of(dataFolder(url)),
      ],
    };
  }
}

/** What `users`, `keys` and `saml` need; the caller that opens them closes them. */
export type CommandServices = UsersServices & KeysServices & SamlServices;

/** @throws ConfigurationFailure where the database or a key cannot be opened */
export async function openCommandServices(
  configuration: Configuration,
  inputs: ConfigurationInputs,
  writeError: (text: string) => void,
): Promise<CommandServices> {
  const log = new CommandLog(configuration, inputs, writeError);
  const context = await open(configuration, log.loggers);
  const sessions = context.get(Sessions);
  return {
    work: context.get(UnitOfWork),
    accounts: context.get(Accounts),
    creation: context.get(AccountCreation),
    changes: context.get(AccountChanges),
    accountImport: context.get(AccountImport),
    saml: configuration.get(SamlProperties),
    staff: context.get(StaffAccounts),
    totps: context.get(ImportedTotps),
    randomPassword: () => randomPassword(context.get(Random)),
    factorState: (subject) => context.get(Enrolment).state(subject),
    forgetMfa: (tx, subject) => context.get(Enrolment).forget(tx, subject),
    endSessions: async (tx, subject) => {
      await sessions.endAll(tx, subject);
      await context.get(TrustedDevices).revokeAll(tx, subject);
    },
    unlock: (subject, actor) => context.get(Locks).unlock(subject, actor),
    resetMfa: (subject, actor) =>
      context.get(Enrolment).reset(subject, actor, async (tx) => {
        await sessions.endAll(tx, subject);
      }),
    requestMetadata: (idp) => context.get(MetadataRequests).add(idp),
    rotation: context.get(KeyRotation),
    activeSealKey: context.get(Sealer).activeKeyId,
    resealTotpSecrets: () => context.get(TotpSecrets).resealAll(),
    countTotpSecrets: () => context.get(TotpSecrets).countByKey(),
    close: async () => {
      try {
        await context.close();
      } finally {
        await log.close();
      }
    },
  };
}

async function open(configuration: Configuration, loggers: Loggers): Promise<INestApplicationContext> {
  try {
    const module = CommandModule.of(configuration, loggers);
    return await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
  } catch (error) {
    throw analyzeFailure(error, configuration);
  }
}
