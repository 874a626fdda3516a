import { describe, expect, it } from 'vitest';
import { ConfigProperties, ProfilesProperties, UserProperties } from '../config.properties.js';
import { KeyName } from './key-name.js';
import { KeyRegistry } from './key-registry.js';
import type { PropertiesClass } from '../bind/properties-class.js';

const registry = new KeyRegistry([ConfigProperties, ProfilesProperties, UserProperties]);

function found(key: string): string | undefined {
  return registry.find(KeyName.parse(key))?.name;
}

describe('the key registry', () => {
  it.each([
    ['app.config.on-not-found', 'app.config.on-not-found'],
    ['APP.config.OnNotFound', 'app.config.on-not-found'],
    ['app.config.import', 'app.config.import'],
    ['app.config.import[3]', 'app.config.import'],
    ['app.profiles.group.prod', 'app.profiles.group.<name>'],
    ['app.profiles.group.prod[1]', 'app.profiles.group.<name>'],
    ['app.profiles.group[a.b]', 'app.profiles.group.<name>'],
  ])('finds %s as %s', (key, name) => {
    expect(found(key)).toBe(name);
  });

  it.each([
    'app',
    'app.config',
    'app.config.nam',
    'app.config.import.x',
    'app.config.import[0].x',
    'user.timezone[0]',
    'app.profiles.group',
    '',
  ])('finds nothing for "%s"', (key) => {
    expect(found(key)).toBeUndefined();
  });

  it('knows type, default, version and whether a key is secret', () => {
    expect(registry.find(KeyName.parse('app.config.name'))).toMatchObject({
      name: 'app.config.name',
      type: { name: 'list of text' },
      defaultText: 'application',
      since: '0.1.0',
      isSecret: false,
    });
    expect(registry.find(KeyName.parse('app.config.location'))?.defaultText).toBeUndefined();
    expect(registry.find(KeyName.parse('app.profiles.validate'))?.defaultText).toBe('true');
    expect(registry.find(KeyName.parse('user.timezone'))?.defaultText).toBe('the zone of the machine');
  });

  it.each([
    ['app', 13],
    ['app.profiles', 5],
    ['app.profiles.group', 1],
    ['app.config.activate', 2],
    ['app.config.name', 0],
    ['app.con', 0],
  ])('lists the keys below %s: %i', (key, count) => {
    expect(registry.below(KeyName.parse(key))).toHaveLength(count);
  });

  it.each([
    ['app.config.unknown-key', 'app.config.unknown-keys'],
    ['app.config.unkownKeys', 'app.config.unknown-keys'],
    ['app.profile.active', 'app.profiles.active'],
    ['APP_PROFILES_ACTVE', 'app.profiles.active'],
    ['app.profiles.groups.prod', 'app.profiles.group.prod'],
    ['app.profiles.gruop.some.thing.quite.long', 'app.profiles.group.some.thing.quite.long'],
    ['app.profiles.grup', 'app.profiles.group.<name>'],
    ['user.timezon', 'user.timezone'],
    ['app.config.imports[0]', 'app.config.import'],
  ])('suggests for %s the name %s', (wrong, near) => {
    expect(registry.nearest(wrong)).toBe(near);
  });

  it.each(['zzz.yyy.xxx', 'app.prof.some.thing.quite.long', 'a', '', 'x'.repeat(100_000)])(
    'suggests no name for "%.20s"',
    (wrong) => {
      expect(registry.nearest(wrong)).toBeUndefined();
    },
  );

  it.each([
    ['app.config.name', true],
    ['server', true],
    ['MANAGEMENT.x', true],
    ['logging.level', true],
    ['mapper', true],
    ['application.name', false],
    ['my.server', false],
    ['user.home', false],
    ['', false],
  ])('decides whether it owns %s: %s', (key, isOwned) => {
    expect(registry.isOwned(KeyName.parse(key))).toBe(isOwned);
  });

  it('rejects a class without a prefix and a class registered twice', () => {
    class Bare {}

    expect(() => new KeyRegistry([Bare as PropertiesClass])).toThrow('Bare carries no @Properties or @Members');
    expect(() => new KeyRegistry([ProfilesProperties, ProfilesProperties])).toThrow('registered twice');
  });
});
