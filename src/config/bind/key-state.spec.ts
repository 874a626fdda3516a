import { describe, expect, it } from 'vitest';
import { ConfigProperties, ProfilesProperties } from '../config.properties.js';
import { Environment } from '../read/environment.js';
import { KeyName } from '../names/key-name.js';
import { type KeyDefinition, KeyRegistry } from '../names/key-registry.js';
import { evaluate, evaluateAssignment } from './evaluation.js';
import { freeParts, type KeyState, nameBelow, statesOf } from './key-state.js';
import { ConfigSource, type SourceKind } from '../read/source.js';

const registry = new KeyRegistry([ConfigProperties, ProfilesProperties]);

function source(kind: SourceKind, values: Readonly<Record<string, string>>): ConfigSource {
  const entries = Object.entries(values).map(([name, text]) => ({
    key: KeyName.parse(name),
    spelled: name,
    text,
    origin: { kind: 'argument' as const, source: 'commandLineArgs' as const, name },
  }));
  return new ConfigSource(kind, `${kind} source`, entries);
}

function definitionOf(name: string): KeyDefinition {
  const definition = registry.find(KeyName.parse(name));
  if (!definition) throw new TypeError(name);
  return definition;
}

function stateIn(environment: Environment, name: string): KeyState {
  const [state] = statesOf(environment, definitionOf(name), registry);
  if (!state) throw new TypeError(name);
  return state;
}

describe('the state of a key', () => {
  it('lists the assignments of all sources, highest first', () => {
    const environment = new Environment([
      source('command-line', { 'app.config.onNotFound': 'ignore' }),
      source('environment', {}),
      source('file', { 'app.config.on-not-found': 'fail' }),
    ]);

    const { assignments } = stateIn(environment, 'app.config.on-not-found');

    expect(assignments.map(({ source: { kind } }) => kind)).toEqual(['command-line', 'file']);
  });

  it('evaluates to unset, a value or a problem', () => {
    const evaluated = (values: Readonly<Record<string, string>>): unknown => {
      const environment = new Environment([source('file', values)]);
      const evaluation = evaluate(environment, stateIn(environment, 'app.config.on-not-found'));
      return evaluation.kind === 'problem' ? evaluation.problem.what : evaluation;
    };

    expect(evaluated({})).toEqual({ kind: 'unset' });
    expect(evaluated({ 'app.config.on-not-found': 'IGNORE' })).toEqual({
      kind: 'value',
      value: 'ignore',
      shown: 'IGNORE',
    });
    expect(evaluated({ 'app.config.on-not-found': 'x' })).toBe('The value of app.config.on-not-found cannot be used');
  });

  it('evaluates an overridden assignment as well', () => {
    const environment = new Environment([
      source('command-line', { 'app.config.name': 'a' }),
      source('file', { 'app.config.name[0]': 'b', 'app.config.name[1]': 'c' }),
    ]);
    const state = stateIn(environment, 'app.config.name');

    const shown = state.assignments.map((assignment) => evaluateAssignment(environment, state, assignment));

    expect(shown).toEqual([
      { kind: 'value', value: ['a'], shown: 'a' },
      { kind: 'value', value: ['b', 'c'], shown: 'b,c' },
    ]);
  });

  it('a list that accumulates joins all sources, lowest first, or reports the first problem', () => {
    const sum = (top: Readonly<Record<string, string>>): unknown => {
      const environment = new Environment([
        source('command-line', top),
        source('file', { 'app.profiles.include': 'a,b' }),
      ]);
      const evaluation = evaluate(environment, stateIn(environment, 'app.profiles.include'));
      return evaluation.kind === 'value' ? evaluation.value : evaluation.kind;
    };

    expect(sum({ 'app.profiles.include[0]': 'c' })).toEqual(['a', 'b', 'c']);
    expect(sum({ 'app.profiles.include[1]': 'c' })).toBe('problem');
  });
});

describe('the free part of a map key', () => {
  const group = definitionOf('app.profiles.group.any');

  it('is collected once from all sources', () => {
    const environment = new Environment([
      source('environment', { 'app.profiles.group.myProfile[0]': 'a', 'app.profiles.group.eu': 'b' }),
      source('file', { 'app.profiles.group.my-profile': 'c', 'app.profiles.group[Exact]': 'd' }),
    ]);

    expect([...freeParts(environment, group).keys()]).toEqual(['my-profile', 'eu', 'Exact']);
  });

  it.each([
    ['a', 'app.profiles.group.a'],
    ['a.b', 'app.profiles.group.a.b'],
    ['[A.b]', 'app.profiles.group[A.b]'],
    ['[a-b]', 'app.profiles.group[a-b]'],
    ['a-b', 'app.profiles.group.a-b'],
  ])('%s has a name that parses as the same key: %s', (part, name) => {
    const key = group.key.append(part);

    expect(nameBelow(group, key.textFrom(3), key)).toBe(name);
    expect(KeyName.parse(name).uniform).toBe(key.uniform);
  });
});
