import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Configuration } from './configuration.js';

/** Offers the configuration and every bound properties class to the injector. */
@Global()
@Module({})
export class ConfigModule {
  static of(configuration: Configuration): DynamicModule {
    const providers = [
      { provide: Configuration, useValue: configuration },
      ...Array.from(configuration.bound, ([provide, useValue]) => ({ provide, useValue })),
    ];
    return { module: ConfigModule, providers, exports: providers.map(({ provide }) => provide) };
  }
}
