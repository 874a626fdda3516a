import { Global, Module } from '@nestjs/common';
import { Loggers } from '../../observability/logging/loggers.js';
import { DatasourceProperties } from './datasource.properties.js';
import { JpaProperties, OrmProperties, OrmPropertiesProperties } from './jpa.properties.js';
import { DdlAuto } from './schema/ddl-auto.js';
import { StatementOutput } from './statement-output.js';

/**
 * What only the service does, since `PersistenceModule` takes these providers if they exist: a command neither creates or
 * drops tables by `app.jpa.orm.ddl-auto`, nor prints statements between its own output.
 */
@Global()
@Module({
  providers: [
    {
      provide: DdlAuto,
      inject: [OrmProperties, Loggers],
      useFactory: ({ ddlAuto }: OrmProperties, loggers: Loggers) => new DdlAuto(ddlAuto, loggers.get('persistence')),
    },
    {
      provide: StatementOutput,
      inject: [JpaProperties, OrmPropertiesProperties, DatasourceProperties],
      useFactory: (jpa: JpaProperties, orm: OrmPropertiesProperties, { url }: DatasourceProperties) =>
        StatementOutput.of(jpa, orm, url),
    },
  ],
  exports: [DdlAuto, StatementOutput],
})
export class ServicePersistenceModule {}
