import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Meters } from './meters.js';

/** Provides the meters of the process. */
@Global()
@Module({})
export class MetricsModule {
  static of(meters: Meters): DynamicModule {
    return { module: MetricsModule, providers: [{ provide: Meters, useValue: meters }], exports: [Meters] };
  }
}
