import type { INestApplicationContext, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
// The import registers the migrations.
import '../schema/history.js';
import { analyzeFailure } from '../server/failure-analysis.js';
import { ConfigModule } from '../../config/config.module.js';
import type { Configuration, ConfigurationInputs } from '../../config/configuration.js';
import { LoggingModule } from '../../observability/logging/logging.module.js';
import { Meters } from '../../observability/metrics/meters.js';
import { MetricsModule } from '../../observability/metrics/metrics.module.js';
import { DatasourceProperties } from '../../platform/persistence/datasource.properties.js';
import { PersistenceModule } from '../../platform/persistence/persistence.module.js';
import { dataFolder } from '../../platform/persistence/jdbc/jdbc-url.js';
import { SealingModule } from '../../platform/sealing/sealing.module.js';
import { CommandLog } from './command-log.js';

export interface CommandInputs {
  readonly configuration: Configuration;
  readonly inputs: ConfigurationInputs;
  readonly writeError: (text: string) => void;
  /** True for a command that creates the database and its keys if they are missing. */
  readonly createsState: boolean;
}

/**
 * Opens a module of the service without listeners, for one command.
 * @throws ConfigurationFailure if the database or a key cannot be opened
 */
export async function openContext(
  module: Type,
  { configuration, inputs, writeError, createsState }: CommandInputs,
): Promise<{ readonly context: INestApplicationContext; readonly close: () => Promise<void> }> {
  const log = new CommandLog(configuration, inputs, writeError);
  const { url } = configuration.get(DatasourceProperties);
  const imports = [
    ConfigModule.of(configuration),
    LoggingModule.of(log.loggers),
    // No endpoint shows the meters of a command.
    MetricsModule.of(new Meters()),
    SealingModule.of(dataFolder(url), createsState),
    PersistenceModule.forCommand({ createsState }),
  ];
  let context: INestApplicationContext;
  try {
    context = await NestFactory.createApplicationContext({ module, imports }, { logger: false, abortOnError: false });
  } catch (error) {
    throw analyzeFailure(error, configuration);
  }
  const close = async (): Promise<void> => {
    try {
      await context.close();
    } finally {
      await log.close();
    }
  };
  return { context, close };
}
