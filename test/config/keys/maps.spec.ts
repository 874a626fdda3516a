import { describe, expect, it } from 'vitest';
import { ProfilesProperties } from '../../../src/config/config.properties.js';
import { LoggingProperties } from '../../../src/observability/logging/logging.properties.js';
import { InfoProperties } from '../../../src/management/info/info.properties.js';
import { bound, reading, shownOf, type Situation } from './situation.js';

function levels(situation: Situation): Readonly<Record<string, string>> {
  return Object.fromEntries(bound(situation, LoggingProperties).level);
}

function facts(situation: Situation): readonly (readonly [string, string])[] {
  return [...bound(situation, InfoProperties).values];
}

describe('maps', () => {
  it('a map merges the keys of all sources, and the highest source wins for each key', () => {
    const situation: Situation = {
      packaged: { 'application.yml': 'logging.level: { root: info, auth: info, mfa: info }' },
      files: {
        'application.yml': 'logging.level: { auth: debug }',
        'config/application.yml': 'logging.level.saml: warn',
      },
      variables: { LOGGING_LEVEL_MFA: 'trace' },
      args: ['--logging.level.token=error', '-Dlogging.level.mfa=off'],
    };

    expect(levels(situation)).toEqual({
      root: 'info',
      auth: 'debug',
      mfa: 'off',
      saml: 'warn',
      token: 'error',
    });
  });

  it('C5: a map keeps underscores and dashes in its keys', () => {
    const files = { 'application.yml': 'logging.level: { my_logger: debug, My-Logger2: warn, a.b_c: info }' };

    expect(levels({ files })).toEqual({ my_logger: 'debug', 'My-Logger2': 'warn', 'a.b_c': 'info' });
    expect(shownOf(reading({ files }), 'logging.level.my_logger').value).toBe('debug');
  });

  it('a map of plain values keeps dots in its keys', () => {
    expect(levels({ files: { 'application.yml': 'logging.level.auth.mfa: debug' } })).toEqual({ 'auth.mfa': 'debug' });
    expect(levels({ files: { 'application.yml': 'logging:\n  level:\n    auth:\n      mfa: debug\n' } })).toEqual({
      'auth.mfa': 'debug',
    });
    expect(levels({ files: { 'application.yml': 'logging.level: { auth.mfa: debug, auth: info }' } })).toEqual({
      'auth.mfa': 'debug',
      auth: 'info',
    });
  });

  it('a map takes keys in brackets as they are written', () => {
    const yaml = 'logging.level:\n  "[com.Acme.$Inner_1]": debug\n  "[/a b/*]": warn\n';

    expect(levels({ files: { 'application.yml': yaml } })).toEqual({ 'com.Acme.$Inner_1': 'debug', '/a b/*': 'warn' });
    expect(levels({ args: ['--logging.level[com.Acme]=debug'] })).toEqual({ 'com.Acme': 'debug' });
  });

  it('C5: map keys without brackets keep only letters, digits, dashes, underscores and dots', () => {
    expect(facts({ files: { 'application.yml': 'info:\n  a/b c_d-E.f!g: x\n  größe: y\n' } })).toEqual([
      ['abc_d-E.fg', 'x'],
      ['größe', 'y'],
    ]);
  });

  it('map keys from the environment are lower-case, with dots for underscores', () => {
    expect(levels({ variables: { LOGGING_LEVEL_AUTH: 'debug', LOGGING_LEVEL_ORM_SQL: 'trace' } })).toEqual({
      auth: 'debug',
      'orm.sql': 'trace',
    });
  });

  it('a map key keeps its spelling in the file when the environment overrides its value', () => {
    const situation: Situation = {
      files: { 'application.yml': 'logging.level.auth.secondFactor: info' },
      variables: { LOGGING_LEVEL_AUTH_SECONDFACTOR: 'debug' },
    };

    expect(levels(situation)).toEqual({ 'auth.secondFactor': 'debug' });
    expect(shownOf(reading(situation), 'logging.level.auth.second-factor')).toEqual({
      value: 'debug',
      origin: 'System Environment Property "LOGGING_LEVEL_AUTH_SECONDFACTOR"',
    });
  });

  it('a map key has the spelling of the highest file or argument', () => {
    const files = { 'application.yml': 'logging.level.some-logger: info' };

    expect(levels({ files, args: ['--logging.level.someLogger=debug'] })).toEqual({ someLogger: 'debug' });
  });

  it('a map key with and without brackets is one entry, and the highest source wins', () => {
    const packaged = { 'application.yml': 'logging.level.com.Acme: info' };

    expect(levels({ packaged, files: { 'application.yml': 'logging.level: { "[com.Acme]": debug }' } })).toEqual({
      'com.Acme': 'debug',
    });
    expect(
      levels({
        packaged: { 'application.yml': 'logging.level: { "[com.Acme]": info }' },
        args: ['--logging.level.com.Acme=debug'],
      }),
    ).toEqual({ 'com.Acme': 'debug' });
  });

  it('config get shows a map key in brackets', () => {
    const read = reading({ args: ['--logging.level[com.Acme]=debug'] });

    expect(shownOf(read, 'logging.level[com.Acme]').value).toBe('debug');
  });

  it('map keys may be named like object properties', () => {
    const files = {
      'application.yml': 'info: { "[__proto__]": a, constructor: b, toString: c, hasOwnProperty.call: d }',
    };

    expect(facts({ files })).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
      ['toString', 'c'],
      ['hasOwnProperty.call', 'd'],
    ]);
  });

  it('a map of lists accepts comma text, sequences and indexes for each key', () => {
    const situation: Situation = {
      files: { 'application.yml': 'app.profiles.group:\n  one: a,b\n  two: [c, d]\n  three.x: e\n  1: f\n' },
      variables: { APP_PROFILES_GROUP_FOUR_0: 'g', APP_PROFILES_GROUP_FOUR_1: 'h' },
      args: ['--app.profiles.group.five[0]=i'],
    };

    expect(Object.fromEntries(bound(situation, ProfilesProperties).group)).toEqual({
      one: ['a', 'b'],
      two: ['c', 'd'],
      'three.x': ['e'],
      '1': ['f'],
      four: ['g', 'h'],
      five: ['i'],
    });
  });

  it('a map of lists takes each whole list from one source', () => {
    const situation: Situation = {
      files: { 'application.yml': 'app.profiles.group.prod: [a, b]' },
      variables: { APP_PROFILES_GROUP_PROD_0: 'x' },
    };

    expect(bound(situation, ProfilesProperties).group.get('prod')).toEqual(['x']);
  });

  it('config get masks info values with secret names, but no logger levels', () => {
    const read = reading({ files: { 'application.yml': 'logging.level.token: debug\ninfo.api.token: geheim\n' } });

    expect(shownOf(read, 'logging.level.token').value).toBe('debug');
    expect(shownOf(read, 'info.api.token').value).toBe('******');
  });
});
