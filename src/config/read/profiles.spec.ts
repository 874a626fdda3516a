import { describe, expect, it } from 'vitest';
import { fc } from '../../../test/support/runner/property.js';
import { readArguments } from './arguments.js';
import { ConfigProperties, ProfilesProperties } from '../config.properties.js';
import { Environment } from './environment.js';
import { KeyRegistry } from '../names/key-registry.js';
import { ConfigurationFailure } from '../problem.js';
import { chooseProfiles, type ProfileChoice, unknownProfiles } from './profiles.js';

const REGISTRY = new KeyRegistry([ConfigProperties, ProfilesProperties]);

function chosen(keys: Readonly<Record<string, string>>): ProfileChoice {
  const args = Object.entries(keys).map(([key, value]) => `--app.profiles.${key}=${value}`);
  return chooseProfiles(new Environment([readArguments(args).commandLine]), REGISTRY);
}

describe('the choice of profiles', () => {
  it.each([
    [{ active: 'a' }, ['a']],
    [{ active: ' a , b ' }, ['a', 'b']],
    [{ active: 'a,,b' }, ['a', 'b']],
    [{ include: 'x,y', active: 'a' }, ['x', 'y', 'a']],
    [{ active: 'a', 'group.a': 'b,c', 'group.b': 'd' }, ['a', 'b', 'd', 'c']],
    [{ include: 'a', active: 'b', 'group.a': 'b' }, ['a', 'b']],
    [{ active: 'a', 'group.a': 'b', 'group.b': 'a' }, ['a', 'b']],
    [{ active: 'A', 'group.a': 'b' }, ['A']],
    [{ active: '' }, []],
  ])('%j activates %j', (keys, active) => {
    expect(chosen(keys).profiles.active).toEqual(active);
  });

  it.each([
    [{}, ['default']],
    [{ default: 'a' }, ['a']],
    [{ default: 'a', 'group.a': 'b' }, ['a', 'b']],
    [{ default: '' }, []],
  ])('%j falls back to %j', (keys, fallback) => {
    expect(chosen(keys).profiles).toEqual({ active: [], default: fallback });
  });

  it('lists every profile once for any groups', () => {
    const names = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 5 });
    const groups = fc.dictionary(fc.constantFrom('group.a', 'group.b', 'group.c', 'group.d'), names);
    fc.assert(
      fc.property(names, names, groups, (include, active, members) => {
        const lists = { include, active, ...members };
        const keys = Object.fromEntries(Object.entries(lists).map(([key, list]) => [key, list.join(',')]));

        const { profiles } = chosen(keys);

        expect(new Set(profiles.active).size).toBe(profiles.active.length);
        expect([...include, ...active].filter((name) => !profiles.active.includes(name))).toEqual([]);
        const direct = [...new Set([...include, ...active])];
        expect(profiles.active[0]).toBe(direct[0]);
      }),
    );
  });

  it('accepts a long chain of groups', () => {
    const groups = Array.from({ length: 5_000 }, (_, index) => [`group.p${index}`, `p${index + 1}`] as const);

    expect(chosen({ active: 'p0', ...Object.fromEntries(groups) }).profiles.active).toHaveLength(5_001);
  });

  it('reports all invalid names together', () => {
    const choose = (): unknown => chosen({ active: '-a,b', include: 'c-', default: '.d' });

    expect(choose).toThrow(ConfigurationFailure);
    expect(choose).toThrow(/"c-".*"-a".*"\.d"/);
  });

  it('records the origin of each profile', () => {
    const { originOf } = chosen({ active: 'a', include: 'x', default: 'y', 'group.a': 'b' });

    expect(Object.fromEntries(originOf)).toEqual(
      Object.fromEntries(
        Object.entries({ x: 'include', a: 'active', b: 'active', y: 'default' }).map(([name, key]) => [
          name,
          { kind: 'argument', source: 'commandLineArgs', name: `app.profiles.${key}` },
        ]),
      ),
    );
  });
});

describe('an unknown profile', () => {
  const unknown = (keys: Readonly<Record<string, string>>, ...known: string[]): readonly string[] =>
    unknownProfiles(chosen(keys), new Set(known), () => undefined).map(({ what }) => /"(.*)"/.exec(what)?.[1] ?? '');

  it('is an active profile without a file, condition or group', () => {
    expect(unknown({ active: 'a,b,c', 'group.b': 'd' }, 'a')).toEqual(['d', 'c']);
  });

  it('is not reported among default profiles', () => {
    expect(unknown({ default: 'a' })).toEqual([]);
  });

  it('is not reported with validate=false', () => {
    expect(unknown({ active: 'a', validate: 'false' })).toEqual([]);
  });
});
