import { type DynamicModule, Global, Module } from '@nestjs/common';
import { LogLevels } from './log-levels.js';
import { Loggers } from './loggers.js';

/** The log file, for those who show it. */
export class LogFile {
  constructor(
    /** Absolute; undefined if the log has no file. */
    readonly path?: string,
    /** Name of its character set. */
    readonly charset = 'UTF-8',
  ) {}
}

/** Provides the loggers of the process, their levels, and the log file. */
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
