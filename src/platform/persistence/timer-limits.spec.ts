import { describe, expect, it } from 'vitest';
import { ConfigProperties, ProfilesProperties } from '../../config/config.properties.js';
import { readConfiguration } from '../../config/configuration.js';
import { PoolProperties } from './datasource.properties.js';
import { MapperConfigurationProperties } from './mapper/mapper.properties.js';

function problemsOf(argument: string): readonly string[] {
  const inputs = { args: [argument], variables: {}, workingFolder: '/nowhere', packageFolder: '/nowhere' };
  const classes = [ConfigProperties, ProfilesProperties, PoolProperties, MapperConfigurationProperties];
  const { problems } = readConfiguration(classes, inputs);
  return problems.map(({ facts }) => facts.map(([, text]) => text).join(' '));
}

/** Node runs a timer of more than 2^31 ms at once. */
describe.each([
  'app.datasource.pool.connection-timeout',
  'app.datasource.pool.idle-timeout',
  'app.datasource.pool.max-lifetime',
  'app.datasource.pool.validation-timeout',
  'app.datasource.pool.leak-detection-threshold',
  'mapper.configuration.default-statement-timeout',
])('%s', (key) => {
  it('is at most what a timer can wait', () => {
    expect(problemsOf(`--${key}=24d`)).toEqual([]);
    expect(problemsOf(`--${key}=25d`)).toEqual([expect.stringContaining('must be at most 24d')]);
  });
});
