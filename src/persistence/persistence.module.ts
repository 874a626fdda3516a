import { Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { HealthModule } from '../health/health.module.js';
import { Loggers } from '../logging/loggers.js';
import { Meters } from '../metrics/meters.js';
import { Random, SystemRandom } from '../random/random.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { openDatabase } from './database.js';
import { DatabaseServer } from './engines/database-server.js';
import { DatabaseWatch } from './database-instrumentation.js';
import { DatasourceProperties, PoolProperties } from './datasource.properties.js';
import { DbIndicator } from './db.indicator.js';
import { EmbeddedDatabase } from './engines/embedded-database.js';
import { ExpirySweep } from './expiry-sweep.task.js';
import { ExpiryStore } from './expiry.store.js';
import { UnitOfWork } from './unit-of-work.js';

/** The one connected `DataSource`: open before anything else starts, closed after everything else has stopped. */
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
      provide: DatabaseWatch,
      inject: [Meters, Loggers, PoolProperties],
      useFactory: (meters: Meters, loggers: Loggers, { poolName }: PoolProperties) =>
        new DatabaseWatch(meters, loggers, poolName),
    },
    {
      provide: UnitOfWork,
      inject: [DataSource, Random, DatabaseWatch, PoolProperties],
      useFactory: (dataSource: DataSource, random: Random, watch: DatabaseWatch, pool: PoolProperties) =>
        unitOfWork(dataSource, random, watch, pool.connectionTimeout.milliseconds),
    },
    DbIndicator,
    ExpiryStore,
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
  watch: DatabaseWatch = new DatabaseWatch(),
  longestWait = new PoolProperties().connectionTimeout.milliseconds,
): UnitOfWork {
  const isEmbedded = dataSource.options.type === 'better-sqlite3';
  const engine = isEmbedded
    ? new EmbeddedDatabase(dataSource, watch)
    : new DatabaseServer(dataSource, watch, longestWait);
  return new UnitOfWork(engine, random, watch.trouble);
}
