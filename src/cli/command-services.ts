import 'reflect-metadata';
import { type INestApplicationContext, Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AccountModule } from '../account/account.module.js';
import { Accounts } from '../account/accounts.service.js';
import { AccountAdministration } from '../admin/account-administration.service.js';
import { AccountProvisioning } from '../admin/account-provisioning.service.js';
import { DatabaseRestore } from '../admin/database-restore.service.js';
import { StaffAdmission } from '../admin/staff-admission.service.js';
import { AdministrationModule } from '../admin/administration.module.js';
import type { EventsServices } from './events.command.js';
import type { RestoreServices } from './backup.command.js';
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
import { PepperUses } from '../second-factor/backup-code/pepper-use.service.js';
import { MfaModule } from '../second-factor/mfa.module.js';
import { TotpSecrets } from '../second-factor/totp/totp-secrets.service.js';
import { dataFolder } from '../persistence/jdbc/jdbc-url.js';
import { DatasourceProperties } from '../persistence/datasource.properties.js';
import { PersistenceModule } from '../persistence/persistence.module.js';
import { RandomModule } from '../random/random.module.js';
import { MetadataRequestsModule } from '../saml/idp/metadata-requests.module.js';
import { MetadataRequests } from '../saml/idp/metadata-requests.service.js';
import { Sealer } from '../sealing/sealer.js';
import { SealingModule } from '../sealing/sealing.module.js';
import { analyzeFailure } from '../boot/failure-analysis.js';
import { EventSearch } from '../events/event-search.service.js';
import { EventsModule } from '../events/events.module.js';
import { HostFactsModule } from '../auth/host-facts.module.js';
import { KeyRotation } from '../token/keys/key-rotation.service.js';
import { TokenModule } from '../token/token.module.js';

/** The service without its listeners, for one command. */
@Module({
  imports: [
    ClockModule,
    RandomModule,
    PersistenceModule,
    AccountModule,
    HostFactsModule,
    TokenModule,
    MfaModule,
    AdministrationModule,
    MetadataRequestsModule,
    EventsModule,
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

/** Services of the commands `users`, `keys`, `saml`, `events` and `restore`; the caller that opens them must close them. */
export type CommandServices = UsersServices & KeysServices & SamlServices & EventsServices & RestoreServices;

/** @throws ConfigurationFailure if the database or a key cannot be opened */
export async function openCommandServices(
  configuration: Configuration,
  inputs: ConfigurationInputs,
  writeError: (text: string) => void,
): Promise<CommandServices> {
  const log = new CommandLog(configuration, inputs, writeError);
  const context = await open(configuration, log.loggers);
  return {
    accounts: context.get(Accounts),
    administration: context.get(AccountAdministration),
    provisioning: context.get(AccountProvisioning),
    admission: context.get(StaffAdmission),
    factorState: (subject) => context.get(Enrolment).state(subject),
    eventSearch: context.get(EventSearch),
    requestMetadata: (idp) => context.get(MetadataRequests).add(idp),
    databaseRestore: context.get(DatabaseRestore),
    rotation: context.get(KeyRotation),
    activeSealKey: context.get(Sealer).activeKeyId,
    resealTotpSecrets: () => context.get(TotpSecrets).resealAll(),
    pepperUses: () => context.get(PepperUses).count(),
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
