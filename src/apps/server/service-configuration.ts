import { bind } from '../../config/bind/binder.js';
import {
  type Configuration,
  type ConfigurationInputs,
  type ConfigurationReading,
  configurationOf,
  readConfiguration,
} from '../../config/configuration.js';
import { ConfigurationFailure } from '../../config/problem.js';
import { mapperSource } from '../../platform/persistence/mapper/mapper-files.js';
import { logSource } from './log-setup.js';
import { PROPERTIES } from './properties.js';

/**
 * Reads the configuration of the service, with the files that `logging.config` and `mapper.config-location` name as
 * sources of the keys that they decide. The rules report a file that cannot be used.
 */
export function readServiceConfiguration(inputs: ConfigurationInputs): ConfigurationReading {
  const reading = readConfiguration(PROPERTIES, inputs);
  if (!reading.isComplete) return reading;
  const configuration = configurationOf(reading);
  const files = [logSource, mapperSource].flatMap((sourceOf) => usable(() => sourceOf(configuration, inputs)) ?? []);
  if (files.length === 0) return reading;
  const environment = reading.environment.withFiles(files);
  return { ...reading, environment, instances: bind(environment, reading.registry).instances };
}

/**
 * Loads the configuration for a command and applies no rules.
 * @throws ConfigurationFailure with all problems of reading and binding together
 */
export function loadServiceConfiguration(inputs: ConfigurationInputs): Configuration {
  const reading = readServiceConfiguration(inputs);
  if (reading.problems.length > 0) throw new ConfigurationFailure(reading.problems);
  return configurationOf(reading);
}

function usable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigurationFailure)) throw error;
    return undefined;
  }
}
