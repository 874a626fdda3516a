import { Module } from '@nestjs/common';
import { Configuration } from '../../../config/configuration.js';
import { ownCommand } from '../../../config/show/own-command.js';
import { StartupWait } from '../../../observability/health/startup-wait.js';
import { Loggers } from '../../../observability/logging/loggers.js';
import { DatabaseAddress } from '../database-address.js';
import { DatasourceProperties, MigrationAccountProperties } from '../datasource.properties.js';
import { MigrationAccount } from '../migrations/migration-account.js';
import { PersistenceProperties } from '../migrations/migration.properties.js';
import { DdlAuto } from './ddl-auto.js';
import { WORKS_ON_EXISTING_STATE } from './existing-state.module.js';
import { SchemaSetup } from './schema-setup.js';

const LOGGER = 'persistence';

/** Brings the tables up to date, or prevents the startup; exported for the module that opens the database. */
@Module({
  providers: [
    {
      provide: DatabaseAddress,
      inject: [Configuration, Loggers],
      useFactory: (configuration: Configuration, loggers: Loggers) =>
        DatabaseAddress.of(configuration, loggers.get(LOGGER)),
    },
    {
      provide: SchemaSetup,
      inject: [
        Configuration,
        DatabaseAddress,
        Loggers,
        { token: DdlAuto, optional: true },
        { token: WORKS_ON_EXISTING_STATE, optional: true },
        { token: StartupWait, optional: true },
      ],
      useFactory: (
        configuration: Configuration,
        address: DatabaseAddress,
        loggers: Loggers,
        ddlAuto?: DdlAuto,
        worksOnExisting?: boolean,
        startupWait?: StartupWait,
      ) =>
        new SchemaSetup(
          new MigrationAccount(address, configuration.get(MigrationAccountProperties)),
          {
            migratesAtStart: migratesAtStart(configuration),
            worksOnExisting: worksOnExisting === true,
            migrateAdvice: () => {
              const command = ownCommand('migrate up', configuration.environment, configuration.registry);
              return `${command} (docs/how-to/deploy/upgrade-and-migrate.md)`;
            },
          },
          loggers.get(LOGGER),
          ddlAuto,
          startupWait,
        ),
    },
  ],
  exports: [SchemaSetup, DatabaseAddress],
})
export class SchemaModule {}

/** A server in production is migrated by a step of the deployment, with an account that the service does not have. */
function migratesAtStart(configuration: Configuration): boolean {
  const { migrateAtStart } = configuration.get(PersistenceProperties);
  if (migrateAtStart !== undefined) return migrateAtStart;
  const isProduction = configuration.environment.profiles.active.includes('prod');
  return !isProduction || configuration.get(DatasourceProperties).url.startsWith('jdbc:sqlite:');
}
