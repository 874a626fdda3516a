import { type DynamicModule, Module } from '@nestjs/common';
import { ConfigModule } from './config/config.module.js';
import type { Configuration } from './config/configuration.js';
import { ManagementModule } from './management/management.module.js';
import { PersistenceModule } from './persistence/persistence.module.js';
import { PortalModule } from './portal/portal.module.js';

/** The whole service. */
@Module({ imports: [PersistenceModule, ManagementModule, PortalModule] })
export class AppModule {
  static of(configuration: Configuration): DynamicModule {
    return { module: AppModule, imports: [ConfigModule.of(configuration)] };
  }
}
