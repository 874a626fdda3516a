import { type DynamicModule, Module } from '@nestjs/common';
import { AdminModule } from './admin/admin.module.js';
import { AuthModule } from './auth/auth.module.js';
import { ClockModule } from './clock/clock.module.js';
import { ConfigModule } from './config/config.module.js';
import type { Configuration } from './config/configuration.js';
import { HealthModule } from './health/health.module.js';
import { ManagementModule } from './management/management.module.js';
import { dataFolder } from './persistence/data-folder.js';
import { DatasourceProperties } from './persistence/datasource.properties.js';
import { PersistenceModule } from './persistence/persistence.module.js';
import { PortalModule } from './portal/portal.module.js';
import { RandomModule } from './random/random.module.js';
import { SealingModule } from './sealing/sealing.module.js';
import { ServerModule } from './server/server.module.js';

/** The whole service. */
@Module({
  imports: [
    ClockModule,
    RandomModule,
    HealthModule,
    PersistenceModule,
    ServerModule,
    AuthModule,
    AdminModule,
    ManagementModule,
    PortalModule,
  ],
})
export class AppModule {
  static of(configuration: Configuration): DynamicModule {
    const { url } = configuration.get(DatasourceProperties);
    return { module: AppModule, imports: [ConfigModule.of(configuration), SealingModule.of(dataFolder(url))] };
  }
}
