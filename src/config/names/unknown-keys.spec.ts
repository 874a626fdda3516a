import { describe, expect, it } from 'vitest';
import { readArguments } from '../read/arguments.js';
import { ConfigProperties, ProfilesProperties } from '../config.properties.js';
import { Environment } from '../read/environment.js';
import { KeyRegistry } from './key-registry.js';
import { unknownKeys, unknownVariables } from './unknown-keys.js';
import { readVariables } from '../read/variables.js';

const registry = new KeyRegistry([ConfigProperties, ProfilesProperties]);

function complaints(...args: readonly string[]): readonly string[] {
  const { commandLine, systemProperties } = readArguments(args);
  const environment = new Environment([commandLine, systemProperties]);
  return unknownKeys(environment, registry).map(({ what, action }) => `${what}: ${action}`);
}

function warnings(...names: readonly string[]): readonly string[] {
  const variables = readVariables(Object.fromEntries(names.map((name) => [name, 'x'])), registry);
  return unknownVariables(new Environment([variables]), registry);
}

describe('unknown keys', () => {
  it('are reported with the nearest name and an action', () => {
    expect(complaints('--app.config.nam=x', '-Dapp.quite.another=y')).toEqual([
      'The key app.config.nam is unknown: Did you mean app.config.name? Correct or remove app.config.nam; ' +
        'app.config.unknown-keys=warn allows it.',
      'The key app.quite.another is unknown: Correct or remove app.quite.another; ' +
        'app.config.unknown-keys=warn allows it.',
    ]);
  });

  it('are reported as sections if a key below them is known', () => {
    expect(complaints('--app.profiles=x')).toEqual([
      'app.profiles is a section and takes no value: Set a key below it, such as app.profiles.active.',
    ]);
    expect(complaints('--app.profiles=')).toEqual([]);
  });

  it('are not reported for prefixes of other programs', () => {
    expect(complaints('--my.app=x', '--application=y', '--=z')).toEqual([]);
  });
});

describe('unknown environment variables', () => {
  it('are reported with the nearest variable name', () => {
    expect(warnings('APP_PROFILES_ACTVE', 'APP_PROFILES_ACTIVE', 'PATH')).toEqual([
      'The environment variable APP_PROFILES_ACTVE sets no key of this service; did you mean APP_PROFILES_ACTIVE?',
    ]);
  });

  it('are reported even if they parse as a key, but match none of its forms', () => {
    expect(warnings('APP__CONFIG_NAME')).toEqual([
      'The environment variable APP__CONFIG_NAME sets no key of this service; did you mean APP_CONFIG_NAME?',
    ]);
  });
});
