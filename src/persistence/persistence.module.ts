import { Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Random, SystemRandom } from '../random/random.js';
import { openDatabase } from './database.js';
import { DatabaseServer } from './database-server.js';
import { DatasourceProperties } from './datasource.properties.js';
import { EmbeddedDatabase } from './embedded-database.js';
import { UnitOfWork } from './unit-of-work.js';

/** The one connected `DataSource`: open before anything else starts, closed after everything else has stopped. */
@Global()
@Module({
  providers: [
    { provide: DataSource, inject: [DatasourceProperties], useFactory: openDatabase },
    { provide: UnitOfWork, inject: [DataSource, Random], useFactory: unitOfWork },
  ],
  exports: [UnitOfWork],
})
export class PersistenceModule implements OnApplicationShutdown {
  constructor(private readonly dataSource: DataSource) {}

  async onApplicationShutdown(): Promise<void> {
    await this.dataSource.destroy();
  }
}

export function unitOfWork(dataSource: DataSource, random: Random = new SystemRandom()): UnitOfWork {
  const isEmbedded = dataSource.options.type === 'better-sqlite3';
  return new UnitOfWork(isEmbedded ? new EmbeddedDatabase(dataSource) : new DatabaseServer(dataSource), random);
}
