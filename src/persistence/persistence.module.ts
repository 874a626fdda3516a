import { Module, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { openDatabase } from './database.js';
import { DatasourceProperties } from './datasource.properties.js';

/** The one connected `DataSource`: open before anything else starts, closed after everything else has stopped. */
@Module({
  providers: [{ provide: DataSource, inject: [DatasourceProperties], useFactory: openDatabase }],
  exports: [DataSource],
})
export class PersistenceModule implements OnApplicationShutdown {
  constructor(private readonly dataSource: DataSource) {}

  async onApplicationShutdown(): Promise<void> {
    await this.dataSource.destroy();
  }
}
