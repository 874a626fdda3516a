import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Loggers } from './loggers.js';

/** Offers the loggers of the process. */
@Global()
@Module({})
export class LoggingModule {
  static of(loggers: Loggers): DynamicModule {
    return { module: LoggingModule, providers: [{ provide: Loggers, useValue: loggers }], exports: [Loggers] };
  }
}
