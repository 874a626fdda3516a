import { type DynamicModule, Global, Module } from '@nestjs/common';
import { LogFile } from './file/log-file.js';
import { LogLevels } from './log-levels.js';
import { Loggers } from './loggers.js';

/** Offers the loggers of the process, their levels, and where the log is. */
@Global()
@Module({})
export class LoggingModule {
  static of(loggers: Loggers, levels = new LogLevels(loggers), file = new LogFile()): DynamicModule {
    return {
      module: LoggingModule,
      providers: [
        { provide: Loggers, useValue: loggers },
        { provide: LogLevels, useValue: levels },
        { provide: LogFile, useValue: file },
      ],
      exports: [Loggers, LogLevels, LogFile],
    };
  }
}
