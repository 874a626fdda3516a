import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Configuration } from '../../config/configuration.js';
import { Random } from '../../kernel/random/random.js';
import { openSealer } from './open-sealer.js';
import { SealProperties } from './seal.properties.js';
import { Sealer } from './sealer.js';

/** Provides the `Sealer` with the configured keys or, outside `prod`, with a key in a file of `folder`. */
@Global()
@Module({})
export class SealingModule {
  /** Without `createsKey`, the file must exist. */
  static of(folder: string, createsKey = true): DynamicModule {
    const sealer = {
      provide: Sealer,
      inject: [SealProperties, Configuration, Random],
      useFactory: (properties: SealProperties, { environment }: Configuration, random: Random): Sealer =>
        openSealer(
          properties,
          { folder, isProduction: environment.profiles.active.includes('prod'), createsKey },
          random,
        ),
    };
    return { module: SealingModule, providers: [sealer], exports: [Sealer] };
  }
}
