import { Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { HealthModule } from '../health/health.module.js';
import { Loggers } from '../logging/loggers.js';
import { Meters } from '../metrics/meters.js';
import { Random, SystemRandom } from '../random/random.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { openDatabase } from './database.js';
import { DatabaseServer } from './engines/database-server.js';
import { DatabaseInstrumentation } from './database-instrumentation.js';
import { DatasourceProperties, PoolProperties } from './datasource.properties.js';
import { DbIndicator } from './db.indicator.js';
import { EmbeddedDatabase } from './engines/embedded-database.js';
import { ExpirySweep } from './expiry-sweep.task.js';
import { UnitOfWork } from './unit-of-work.js';

/** Opens the one `DataSource` before everything else, and closes it after everything else has stopped. */
@Global()
@Module({
  imports: [HealthModule, TasksModule],
  providers: [
    {
      provide: DataSource,
      inject: [DatasourceProperties, PoolProperties],
      useFactory: (settings: DatasourceProperties, { connectionTimeout }: PoolProperties) =>
        openDatabase(settings, connectionTimeout.milliseconds),
    },
    {
      provide: DatabaseInstrumentation,
      inject: [Meters, Loggers, PoolProperties],
      useFactory: (meters: Meters, loggers: Loggers, { poolName }: PoolProperties) =>
        new DatabaseInstrumentation(meters, loggers, poolName),
    },
    {
      provide: UnitOfWork,
      inject: [DataSource, Random, DatabaseInstrumentation, PoolProperties],
      useFactory: (
        dataSource: DataSource,
        random: Random,
        instrumentation: DatabaseInstrumentation,
        pool: PoolProperties,
      ) => unitOfWork(dataSource, random, instrumentation, pool.connectionTimeout.milliseconds),
    },
    DbIndicator,
    ExpirySweep,
  ],
  exports: [UnitOfWork],
})
export class PersistenceModule implements OnApplicationShutdown {
  constructor(private readonly dataSource: DataSource) {}

  async onApplicationShutdown(): Promise<void> {
    await this.dataSource.destroy();
  }
}

export function unitOfWork(
  dataSource: DataSource,
  random: Random = new SystemRandom(),
  instrumentation: DatabaseInstrumentation = new DatabaseInstrumentation(),
  maxWait = new PoolProperties().connectionTimeout.milliseconds,
): UnitOfWork {
  const isEmbedded = dataSource.options.type === 'better-sqlite3';
  const engine = isEmbedded
    ? new EmbeddedDatabase(dataSource, instrumentation)
    : new DatabaseServer(dataSource, instrumentation, maxWait);
  return new UnitOfWork(engine, random, instrumentation.retries);
}
