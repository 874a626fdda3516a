import type { Environment, Profiles } from './environment.js';
import { KeyName } from './key-name.js';
import type { KeyDefinition, KeyRegistry } from './key-registry.js';
import { originText } from './origin.js';
import { ConfigurationFailure, type Problem, problem } from './problem.js';
import { evaluate, type KeyState, statesOf } from './setting.js';

/** What the sources say about profiles before any profile is active. */
export interface ProfileChoice {
  readonly profiles: Profiles;
  /** Where a group, `default` or `include` names a profile: such a name is known even without a file. */
  readonly groups: ReadonlyMap<string, readonly string[]>;
  readonly isChecked: boolean;
  /** Which setting made a profile active, for reports. */
  readonly originOf: ReadonlyMap<string, string>;
}

const NAME = /^[\p{L}\p{N}](?:[\p{L}\p{N}\-_.+@]*[\p{L}\p{N}])?$/u;

/**
 * Computes the active profiles: `active` of the highest source, all of `include` in front, groups expanded depth-first
 * behind their name, doubles dropped (configuration.md b.4).
 */
export function chooseProfiles(environment: Environment, registry: KeyRegistry): ProfileChoice {
  const state = (name: string): KeyState => one(environment, registry, `app.profiles.${name}`);
  const active = textsOf(environment, state('active'));
  const include = textsOf(environment, state('include'));
  const isChecked = valueOf<boolean>(environment, state('validate')) ?? true;
  const groups = groupsOf(environment, registry);
  const fallback = textsOf(environment, state('default')) ?? ['default'];
  const chosen = expand([...(include ?? []), ...(active ?? [])], groups);
  const profiles = { active: chosen, default: expand(fallback, groups) };

  const originOf = new Map<string, string>();
  for (const setting of [...state('include').settings, ...state('active').settings.slice(0, 1)]) {
    for (const name of chosen) if (!originOf.has(name)) originOf.set(name, originText(setting.origin));
  }
  if (isChecked) refuseBadNames([...chosen, ...profiles.default], originOf);
  return { profiles, groups, isChecked, originOf };
}

function groupsOf(environment: Environment, registry: KeyRegistry): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, readonly string[]>();
  const prefix = `${KeyName.parse('app.profiles.group')}.`;
  for (const state of statesOf(environment, definitionOf(registry, 'app.profiles.group.any'), registry)) {
    groups.set(state.name.slice(prefix.length), textsOf(environment, state) ?? []);
  }
  return groups;
}

function expand(names: readonly string[], groups: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const expanded = new Set<string>();
  const visit = (name: string): void => {
    if (expanded.has(name)) return;
    expanded.add(name);
    groups.get(name)?.forEach(visit);
  };
  names.forEach(visit);
  return [...expanded];
}

function refuseBadNames(names: readonly string[], originOf: ReadonlyMap<string, string>): void {
  const problems: Problem[] = [...new Set(names)]
    .filter((name) => !NAME.test(name))
    .map((name) =>
      problem(
        `"${name}" is no name for a profile`,
        'Use letters, digits and - _ . + @ inside, a letter or digit at both ends; app.profiles.validate=false lifts the rule.',
        { Origin: originOf.get(name) },
      ),
    );
  if (problems.length > 0) throw new ConfigurationFailure(problems);
}

/** An active profile that nothing knows is most likely a slip of the pen, and would start the wrong configuration. */
export function unknownProfiles(
  choice: ProfileChoice,
  known: ReadonlySet<string>,
  suggestion: (name: string) => string | undefined,
): readonly Problem[] {
  if (!choice.isChecked) return [];
  return choice.profiles.active
    .filter((name) => !known.has(name) && !choice.groups.has(name))
    .map((name) => {
      const near = suggestion(name);
      const unknown = problem(
        `The active profile "${name}" is unknown: no file, no group and no on-profile condition names it`,
        `${near ? `Did you mean "${near}"? ` : ''}Correct app.profiles.active, or add a file application-${name}.yml; ` +
          'app.profiles.validate=false lifts the rule.',
        { Property: 'app.profiles.active', Value: `"${choice.profiles.active.join(',')}"`, Origin: choice.originOf.get(name) },
      );
      return { ...unknown, mayFollow: true };
    });
}

/** The value of a key before binding, for the engine's own use; a wrong one fails the start. */
export function valueOf<T>(environment: Environment, state: KeyState): T | undefined {
  const evaluation = evaluate(environment, state);
  if (evaluation.kind === 'problem') throw new ConfigurationFailure([evaluation.problem]);
  return evaluation.kind === 'value' ? (evaluation.value as T) : undefined;
}

function textsOf(environment: Environment, state: KeyState): readonly string[] | undefined {
  return valueOf<readonly string[]>(environment, state)?.filter((text) => text !== '');
}

export function definitionOf(registry: KeyRegistry, name: string): KeyDefinition {
  const definition = registry.find(KeyName.parse(name));
  if (!definition) throw new TypeError(`the key ${name} is not registered`);
  return definition;
}

export function one(environment: Environment, registry: KeyRegistry, name: string): KeyState {
  const [state] = statesOf(environment, definitionOf(registry, name), registry);
  if (!state) throw new TypeError(`the key ${name} has no single value`);
  return state;
}

