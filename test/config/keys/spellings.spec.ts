import { describe, expect, it } from 'vitest';
import { PoolProperties } from '../../../src/platform/persistence/datasource.properties.js';
import { OrmPropertiesProperties } from '../../../src/platform/persistence/jpa.properties.js';
import { bound, reading, shownOf, type Situation } from './situation.js';

const SPELLINGS = [
  'app.datasource.pool.maximum-pool-size',
  'app.datasource.pool.maximumPoolSize',
  'app.datasource.pool.maximum_pool_size',
  'app.datasource.pool.MAXIMUMPOOLSIZE',
  'App.DataSource.Pool.Maximum_Pool-Size',
];

const VARIABLES = [
  'APP_DATASOURCE_POOL_MAXIMUMPOOLSIZE',
  'APP_DATASOURCE_POOL_MAXIMUM_POOL_SIZE',
  'app_datasource_pool_maximumpoolsize',
  'app_datasource_pool_maximum_pool_size',
  'app.datasource.pool.maximum-pool-size',
  'app.datasource.pool.maximumPoolSize',
];

function poolSize(situation: Situation): number {
  return bound(situation, PoolProperties).maximumPoolSize;
}

describe('spellings of keys', () => {
  it.each(SPELLINGS)('a YAML file may spell the key %s', (key) => {
    expect(poolSize({ files: { 'application.yml': `${key}: 7` } })).toBe(7);
  });

  it.each(['maximum-pool-size', 'maximumPoolSize', 'maximum_pool_size', 'MAXIMUMPOOLSIZE'])(
    'nested YAML may spell the key %s',
    (last) => {
      expect(poolSize({ files: { 'application.yml': `APP:\n  data-source:\n    Pool: { ${last}: 7 }` } })).toBe(7);
    },
  );

  it.each(SPELLINGS)('a .properties file may spell the key %s', (key) => {
    expect(poolSize({ files: { 'application.properties': `${key} = 7` } })).toBe(7);
  });

  it.each(SPELLINGS)('the command line may spell the key %s', (key) => {
    expect(poolSize({ args: [`--${key}=7`] })).toBe(7);
  });

  it.each(SPELLINGS)('a -D argument may spell the key %s', (key) => {
    expect(poolSize({ args: [`-D${key}=7`] })).toBe(7);
  });

  it.each(VARIABLES)('the environment may spell the key %s', (name) => {
    expect(poolSize({ variables: { [name]: '7' } })).toBe(7);
  });

  it('a higher source overrides a key in another spelling', () => {
    const situation: Situation = {
      packaged: { 'application.yml': 'app.datasource.pool.maximum-pool-size: 1' },
      files: { 'application.yml': 'app.datasource.pool.maximumPoolSize: 2' },
      variables: { APP_DATASOURCE_POOL_MAXIMUM_POOL_SIZE: '3' },
      args: ['-Dapp.datasource.pool.MAXIMUMPOOLSIZE=4'],
    };

    expect(poolSize(situation)).toBe(4);
    expect(poolSize({ ...situation, args: [] })).toBe(3);
    expect(poolSize({ ...situation, args: [], variables: {} })).toBe(2);
  });

  it('config get finds a key in any spelling', () => {
    const read = reading({ files: { 'application.yml': 'app.datasource.pool.maximumPoolSize: 7' } });

    const answers = SPELLINGS.map((key) => shownOf(read, key));

    expect(new Set(answers.map(({ value }) => value))).toEqual(new Set(['7']));
    expect(new Set(answers.map(({ origin }) => origin))).toEqual(new Set(['file [application.yml] - 1:38']));
  });

  it('a key with underscores in its name may be spelled without them', () => {
    for (const key of ['format_sql', 'format-sql', 'formatSql', 'FORMATSQL']) {
      const situation = { files: { 'application.yml': `app.jpa.properties.orm.${key}: true` } };

      expect(bound(situation, OrmPropertiesProperties).formatSql).toBe(true);
    }
  });

  it.each([
    'APP_JPA_PROPERTIES_ORM_FORMAT_SQL',
    'APP_JPA_PROPERTIES_ORM_FORMATSQL',
    'app_jpa_properties_orm_format_sql',
  ])('the variable %s sets a key with underscores in its name', (name) => {
    expect(bound({ variables: { [name]: 'true' } }, OrmPropertiesProperties).formatSql).toBe(true);
  });

  it('the form of a variable without underscores wins over the other one', () => {
    const older = { APP_DATASOURCE_POOL_MAXIMUM_POOL_SIZE: '1' };
    const newer = { APP_DATASOURCE_POOL_MAXIMUMPOOLSIZE: '2' };

    expect(poolSize({ variables: { ...older, ...newer } })).toBe(2);
    expect(poolSize({ variables: { ...newer, ...older } })).toBe(2);
  });

  it('a repeated argument in any spelling is a list, so a number is rejected', () => {
    const { problems } = reading({
      args: ['--app.datasource.pool.maximumPoolSize=1', '--app.datasource.pool.maximum-pool-size=2'],
    });

    expect(problems.map(({ facts }) => Object.fromEntries(facts)['Value'])).toEqual(['"1,2"']);
  });
});
