import { describe, expect, it } from 'vitest';
import { ConfigProperties, ProfilesProperties, UserProperties } from '../config.properties.js';
import { KeyName } from '../names/key-name.js';
import { KeyRegistry } from '../names/key-registry.js';
import { readVariables, type Variables } from './variables.js';

const registry = new KeyRegistry([ConfigProperties, ProfilesProperties, UserProperties]);

function valueOf(variables: Variables, key: string): string | undefined {
  return readVariables(variables, registry).find(KeyName.parse(key))?.text;
}

describe('an environment variable', () => {
  it.each([
    'APP_CONFIG_ADDITIONALLOCATION',
    'APP_CONFIG_ADDITIONAL_LOCATION',
    'app_config_additionallocation',
    'app_config_additional_location',
    'App_Config_Additional_Location',
    'app.config.additional-location',
    'app.config.additionalLocation',
    'APP.CONFIG.ADDITIONAL-LOCATION',
    'APP_CONFIG_ADDITIONAL-LOCATION',
  ])('sets a key by the name %s', (name) => {
    expect(valueOf({ [name]: 'x' }, 'app.config.additional-location')).toBe('x');
  });

  it.each([
    'APPCONFIGADDITIONALLOCATION',
    'APP_CONFIG_ADDITIONAL__LOCATION',
    'APP__CONFIG_ADDITIONALLOCATION',
    '_APP_CONFIG_ADDITIONALLOCATION',
    'APP_CONFIG_ADDITIONALLOCATION$',
    'APP_CONFIG_ADDITIONALLOCATIONS',
  ])('does not set the key by the name %s', (name) => {
    expect(valueOf({ [name]: 'x' }, 'app.config.additional-location')).toBeUndefined();
  });

  it.each([
    ['APP_CONFIG_IMPORT_0', 'app.config.import[0]'],
    ['APP_CONFIG_IMPORT_0_', 'app.config.import[0]'],
    ['app_config_import_12', 'app.config.import[12]'],
    ['APP_PROFILES_GROUP_PROD_0', 'app.profiles.group.prod[0]'],
    ['APP_PROFILES_GROUP_PROD', 'app.profiles.group.prod'],
    ['APP_PROFILES_GROUP_Prod_EU', 'app.profiles.group.prod.eu'],
    ['APP_CONFIG_ACTIVATE_ONPROFILE_0', 'app.config.activate.on-profile[0]'],
    ['APP_CONFIG_ACTIVATE_ON_PROFILE_0', 'app.config.activate.on-profile[0]'],
  ])('%s sets %s', (name, key) => {
    expect(valueOf({ [name]: 'x' }, key)).toBe('x');
  });

  it('a variable in canonical form takes precedence over the other form in any order', () => {
    const older = { APP_CONFIG_ADDITIONAL_LOCATION: 'older' };
    const newer = { APP_CONFIG_ADDITIONALLOCATION: 'newer' };

    expect(valueOf({ ...older, ...newer }, 'app.config.additional-location')).toBe('newer');
    expect(valueOf({ ...newer, ...older }, 'app.config.additional-location')).toBe('newer');
  });

  it('a variable of another program is found by its name and by the key that it parses as', () => {
    const source = readVariables({ MY_REGION: 'eu', MY_LIST_0: 'a', SERVER__PORT: 'b' }, registry);

    expect(source.findSpelled('MY_REGION')?.text).toBe('eu');
    expect(source.find(KeyName.parse('my.region'))?.text).toBe('eu');
    expect(source.find(KeyName.parse('my.list[0]'))?.text).toBe('a');
    expect(source.findSpelled('SERVER__PORT')?.text).toBe('b');
  });

  it('an unset variable sets no key, and an empty variable sets an empty value', () => {
    expect(valueOf({ USER_TIMEZONE: undefined }, 'user.timezone')).toBeUndefined();
    expect(valueOf({ USER_TIMEZONE: '' }, 'user.timezone')).toBe('');
  });

  it('keeps its name as origin', () => {
    const [entry] = readVariables({ user_timezone: 'UTC' }, registry).entries;

    expect(entry?.origin).toEqual({ kind: 'variable', name: 'user_timezone' });
  });

  it.each([
    '_',
    '__',
    '0',
    '=C:',
    '__proto__',
    'constructor',
    'toString',
    'BASH_FUNC_x%%',
    'ÄÖ_Ü',
    'A'.repeat(100_000),
  ])('may have the name %.20s', (name) => {
    const variables = Object.fromEntries([[name, 'x']]);

    expect(readVariables(variables, registry).findSpelled(name)?.text).toBe('x');
  });
});
