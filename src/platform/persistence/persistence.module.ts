import { type DynamicModule, Global, Module, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Configuration } from '../../config/configuration.js';
import { ConfigurationFailure } from '../../config/problem.js';
import { processInputs } from '../../config/read/process-inputs.js';
import { HealthModule } from '../../observability/health/health.module.js';
import { Loggers } from '../../observability/logging/loggers.js';
import { Meters } from '../../observability/metrics/meters.js';
import { Random } from '../../kernel/random/random.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { openDatabase, poolOf, type PoolOptions, unitOfWork } from './database.js';
import { DatabaseInstrumentation } from './database-instrumentation.js';
import { DatabaseAddress } from './database-address.js';
import { DatasourceProperties, MigrationAccountProperties, PoolProperties } from './datasource.properties.js';
import { DbIndicator } from './db.indicator.js';
import { reportLimits } from './engines/server-limits.js';
import { reportTimeZone } from './engines/session-time-zone.js';
import { ExpirySweep } from './expiry-sweep.task.js';
import { PersonalData } from './personal-data.service.js';
import { JpaProperties, OrmProperties, OrmPropertiesProperties } from './jpa.properties.js';
import { MigrationAccount } from './migrations/migration-account.js';
import { DdlAuto } from './schema/ddl-auto.js';
import { schemaModeOf, SchemaSetup, StartupWait, WORKS_ON_EXISTING_STATE } from './schema/schema-setup.js';
import { StoredTaskLeases } from './stored-task-leases.service.js';
import { TaskLeaseStore } from './task-lease.store.js';
import { StatementOutput } from './statement-output.js';
import { databaseIdOf } from './mapper/database-id.js';
import { mapperFiles } from './mapper/mapper-files.js';
import { SqlMapper } from './mapper/sql-mapper.js';
import { UnitOfWork } from './unit-of-work.js';

/** Logger of everything about the database. */
const LOGGER = 'persistence';

/**
 * What only the service does: a command neither creates or drops tables by `app.jpa.orm.ddl-auto`, nor prints statements
 * between its own output.
 */
const OF_SERVICE: readonly Provider[] = [
  {
    provide: DdlAuto,
    inject: [OrmProperties, Loggers],
    useFactory: ({ ddlAuto }: OrmProperties, loggers: Loggers) => new DdlAuto(ddlAuto, loggers.get(LOGGER)),
  },
  {
    provide: StatementOutput,
    inject: [JpaProperties, OrmPropertiesProperties, DatasourceProperties],
    useFactory: (jpa: JpaProperties, orm: OrmPropertiesProperties, { url }: DatasourceProperties) =>
      StatementOutput.of(jpa, orm, url),
  },
];

/** Opens the one `DataSource` before everything else, and closes it after everything else has stopped. */
@Global()
@Module({
  imports: [HealthModule, TasksModule],
  providers: [
    {
      provide: DatabaseAddress,
      inject: [Configuration, Loggers],
      useFactory: (configuration: Configuration, loggers: Loggers) =>
        DatabaseAddress.of(configuration, loggers.get(LOGGER)),
    },
    {
      provide: MigrationAccount,
      inject: [DatabaseAddress, MigrationAccountProperties],
      useFactory: (address: DatabaseAddress, account: MigrationAccountProperties) =>
        new MigrationAccount(address, account),
    },
    {
      provide: SchemaSetup,
      inject: [
        MigrationAccount,
        Configuration,
        WORKS_ON_EXISTING_STATE,
        Loggers,
        { token: DdlAuto, optional: true },
        { token: StartupWait, optional: true },
      ],
      useFactory: (
        account: MigrationAccount,
        configuration: Configuration,
        worksOnExisting: boolean,
        loggers: Loggers,
        ddlAuto?: DdlAuto,
        wait?: StartupWait,
      ) => new SchemaSetup(account, schemaModeOf(configuration, worksOnExisting), loggers.get(LOGGER), ddlAuto, wait),
    },
    {
      provide: DatabaseInstrumentation,
      inject: [Meters, Loggers, PoolProperties, { token: StatementOutput, optional: true }],
      useFactory: (meters: Meters, loggers: Loggers, { poolName }: PoolProperties, output?: StatementOutput) =>
        new DatabaseInstrumentation(meters, loggers, poolName, output),
    },
    {
      provide: DataSource,
      inject: [DatabaseAddress, PoolProperties, Random, Loggers, SchemaSetup],
      useFactory: (
        address: DatabaseAddress,
        pool: PoolProperties,
        random: Random,
        loggers: Loggers,
        schema: SchemaSetup,
      ) => openDatabase(address, poolOptions(pool, random, loggers), (dataSource) => schema.prepare(dataSource)),
    },
    {
      provide: UnitOfWork,
      inject: [DataSource, Random, DatabaseInstrumentation],
      useFactory: unitOfWork,
    },
    { provide: SqlMapper, inject: [Configuration, DataSource, Loggers], useFactory: sqlMapper },
    DbIndicator,
    TaskLeaseStore,
    StoredTaskLeases,
    ExpirySweep,
    PersonalData,
  ],
  exports: [UnitOfWork, SqlMapper, PersonalData, WORKS_ON_EXISTING_STATE],
})
export class PersistenceModule implements OnApplicationShutdown {
  constructor(
    private readonly dataSource: DataSource,
    private readonly loggers: Loggers,
    private readonly schema: SchemaSetup,
    private readonly address: DatabaseAddress,
  ) {}

  /** `wait` runs the wait for another process that changes the tables. */
  static forService(wait?: StartupWait): DynamicModule {
    return PersistenceModule.with(false, [...OF_SERVICE, ...(wait ? [{ provide: StartupWait, useValue: wait }] : [])]);
  }

  /** Only a command that begins an installation creates what is missing. */
  static forCommand({ createsState }: { readonly createsState: boolean }): DynamicModule {
    return PersistenceModule.with(!createsState);
  }

  private static with(worksOnExisting: boolean, providers: readonly Provider[] = []): DynamicModule {
    const mode = { provide: WORKS_ON_EXISTING_STATE, useValue: worksOnExisting };
    return { module: PersistenceModule, providers: [mode, ...providers] };
  }

  /** Compares the pool with the limits and the time zone of the server, and then opens the connections that the service keeps. */
  async warmUp(): Promise<void> {
    const pool = poolOf(this.dataSource);
    if (!pool) return;
    // Connections that are being opened would be taken for those of other instances.
    const logger = this.loggers.get(LOGGER);
    await reportLimits(pool, logger);
    await reportTimeZone(pool, logger);
    pool.keepWarm();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.schema.tearDown(this.dataSource);
    await this.dataSource.destroy();
    this.address.close();
  }
}

function poolOptions(pool: PoolProperties, random: Random, loggers: Loggers): PoolOptions {
  const testQuery = pool.connectionTestQuery?.trim();
  return { settings: pool.asConfigured(), testQuery, random, logger: loggers.get(LOGGER) };
}

/** A service has checked the files by a rule; commands check no rules. */
async function sqlMapper(configuration: Configuration, dataSource: DataSource, loggers: Loggers): Promise<SqlMapper> {
  const files = mapperFiles(configuration, processInputs());
  if (files.problems.length > 0) throw new ConfigurationFailure(files.problems);
  return new SqlMapper(files, await databaseIdOf(dataSource), loggers);
}
