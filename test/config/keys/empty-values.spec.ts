import { describe, expect, it } from 'vitest';
import { LoggingProperties } from '../../../src/logging/logging.properties.js';
import { DatasourceProperties } from '../../../src/persistence/datasource.properties.js';
import { CaffeineProperties } from '../../../src/cache/caffeine.properties.js';
import { bound, reading, shownOf, type Situation } from './situation.js';

const packaged = { 'application.yml': 'app.cache.caffeine.spec: maximumSize=1000\nserver.port: 9000\n' };

const EMPTY: readonly (readonly [string, (key: string, variable: string) => Situation])[] = [
  ['an empty text in YAML', (key) => ({ files: { 'application.yml': `${key}: ''` } })],
  ['nothing in YAML', (key) => ({ files: { 'application.yml': `${key}:` } })],
  ['null in YAML', (key) => ({ files: { 'application.yml': `${key}: null` } })],
  ['~ in YAML', (key) => ({ files: { 'application.yml': `${key}: ~` } })],
  ['nothing in .properties', (key) => ({ files: { 'application.properties': `${key}=` } })],
  ['a bare argument', (key) => ({ args: [`--${key}`] })],
  ['an empty argument', (key) => ({ args: [`--${key}=`] })],
  ['an empty -D argument', (key) => ({ args: [`-D${key}=`] })],
  ['an empty variable', (_, variable) => ({ variables: { [variable]: '' } })],
];

describe('an empty value', () => {
  it.each(EMPTY)('by %s is a value and hides the lower source', (_, situation) => {
    const read = reading({ packaged, ...situation('app.cache.caffeine.spec', 'APP_CACHE_CAFFEINE_SPEC') });

    expect(read.problems).toEqual([]);
    expect(read.instances.get(CaffeineProperties)).toEqual({ spec: '' });
    expect(shownOf(read, 'app.cache.caffeine.spec').value).toBe('');
  });

  it.each(EMPTY)('by %s is no number, and does not fall through to one', (_, situation) => {
    const { problems } = reading({ packaged, ...situation('server.port', 'SERVER_PORT') });

    expect(problems.map(({ facts }) => Object.fromEntries(facts))).toEqual([
      expect.objectContaining({ Property: 'server.port', Value: '""', Reason: 'the value is empty' }),
    ]);
  });

  it('of a secret is shown as empty', () => {
    const situation = { variables: { APP_DATASOURCE_PASSWORD: '' } };

    expect(bound(situation, DatasourceProperties).password).toBe('');
    expect(shownOf(reading(situation), 'app.datasource.password').value).toBe('');
  });

  it('of a map key is a value too', () => {
    const { problems } = reading({ files: { 'application.yml': 'logging.level.auth:' } });

    expect(problems.map(({ facts }) => Object.fromEntries(facts)['Property'])).toEqual(['logging.level.auth']);
  });

  it('stands for a section whose keys are all commented out', () => {
    const read = reading({ files: { 'application.yml': 'server:\n  # port: 1\nlogging:\n  level:\napp:\n' } });

    expect(read.problems).toEqual([]);
    expect(bound({ files: { 'application.yml': 'logging.level:' } }, LoggingProperties).level.size).toBe(0);
  });
});
