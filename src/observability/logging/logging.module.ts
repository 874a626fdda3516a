import { type DynamicModule, Global, Module } from '@nestjs/common';
import { LogLevels } from './log-levels.js';
import { Loggers } from './loggers.js';

/** The log file, for the endpoint that shows it. */
export class LogFile {
  constructor(
    /** Absolute path of the log file; undefined if there is none. */
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
