import { type DynamicModule, Global, Module } from '@nestjs/common';
import { LogLevels } from './log-levels.js';
import { Loggers } from './loggers.js';

/** Offers the loggers of the process and their levels. */
@Global()
@Module({})
export class LoggingModule {
  static of(loggers: Loggers, levels = new LogLevels(loggers)): DynamicModule {
    return {
      module: LoggingModule,
      providers: [
        { provide: Loggers, useValue: loggers },
        { provide: LogLevels, useValue: levels },
      ],
      exports: [Loggers, LogLevels],
    };
  }
}
