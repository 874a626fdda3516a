import { type DynamicModule, Global, Module } from '@nestjs/common';
import { StartupWait } from './startup-wait.js';

/** Provides what the service does while its startup waits; commands have none. */
@Global()
@Module({})
export class StartupWaitModule {
  static of(wait: StartupWait): DynamicModule {
    return { module: StartupWaitModule, providers: [{ provide: StartupWait, useValue: wait }], exports: [StartupWait] };
  }
}
