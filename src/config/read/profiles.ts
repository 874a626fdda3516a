import type { Environment, Profiles } from './environment.js';
import { definitionOf, stateOfKey } from '../names/key-lookup.js';
import type { KeyRegistry } from '../names/key-registry.js';
import type { Bound } from '../bind/key-type.js';
import type { Origin } from './origin.js';
import { ConfigurationFailure, from, type Problem, problem } from '../problem.js';
import { MASK, sanitizeValue } from '../../kernel/redaction/secrets.js';
import { evaluate, evaluateAssignment } from '../bind/evaluation.js';
import { type KeyState, statesOf } from '../bind/key-state.js';

/** The choice of profiles from the sources that are read before any profile is active. */
export interface ProfileChoice {
  readonly profiles: Profiles;
  /** The members of each group; a member is known even without a file. */
  readonly groups: ReadonlyMap<string, readonly string[]>;
  readonly isChecked: boolean;
  /** Which assignment made a profile active, for reports. */
  readonly originOf: ReadonlyMap<string, Origin>;
  /** Names from placeholders that name secrets; reports must not show them. */
  readonly secretNames: ReadonlySet<string>;
}

type Groups = ReadonlyMap<string, readonly string[]>;

const NAME = /^[\p{L}\p{N}](?:[\p{L}\p{N}\-_.+@]*[\p{L}\p{N}])?$/u;

/**
 * Computes the active profiles: `active` of the highest source, all of `include` in front, groups expanded depth-first
 * after their name, duplicates dropped (configuration-sources.md, "Files, profiles, imports").
 */
export function chooseProfiles(environment: Environment, registry: KeyRegistry): ProfileChoice {
  const state = (name: string): KeyState => stateOfKey(environment, registry, `app.profiles.${name}`);
  const active = textsOf(environment, state('active')) ?? [];
  const include = textsOf(environment, state('include')) ?? [];
  const fallback = textsOf(environment, state('default')) ?? ['default'];
  const isChecked = valueOf<boolean>(environment, state('validate')) ?? true;
  const groupStates = statesOf(environment, definitionOf(registry, 'app.profiles.group.any'), registry);
  const groups: Groups = new Map(groupStates.map((group) => [groupName(group), textsOf(environment, group) ?? []]));
  const profiles = { active: expand([...include, ...active], groups), default: expand(fallback, groups) };

  const states = [state('include'), state('active'), state('default'), ...groupStates];
  const originOf = originsOf(environment, states, groups);
  const choice = { profiles, groups, isChecked, originOf, secretNames: secretNames(environment, states) };
  if (isChecked) checkNames(choice);
  return choice;
}

/** `prod` of `app.profiles.group.prod` or `app.profiles.group[prod]`. */
function groupName({ name }: KeyState): string {
  return name.slice('app.profiles.group'.length).replace(/^\.|^\[(.*)\]$/s, '$1');
}

/** The first origin of each name, direct or by a group. */
function originsOf(environment: Environment, states: readonly KeyState[], groups: Groups): ReadonlyMap<string, Origin> {
  const origins = new Map<string, Origin>();
  for (const state of states) {
    const addsUp = state.type.shape === 'list' && state.type.addsUp;
    for (const assignment of addsUp ? state.assignments : state.assignments.slice(0, 1)) {
      const evaluation = evaluateAssignment(environment, state, assignment);
      const named = evaluation.kind === 'value' ? (evaluation.value as readonly string[]) : [];
      const own = state.definition.type.shape === 'map' ? [groupName(state)] : [];
      for (const name of expand([...named, ...own], groups, origins)) origins.set(name, assignment.origin);
    }
  }
  return origins;
}

/** Leaves out names that are `known`, and the members of their groups: those have been expanded before. */
function expand(
  names: readonly string[],
  groups: Groups,
  known: Pick<ReadonlyMap<string, unknown>, 'has'> = new Map(),
): readonly string[] {
  const expanded = new Set<string>();
  // A stack in place of recursion, because groups may be nested to any depth.
  const open = names.toReversed();
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (expanded.has(name) || known.has(name)) continue;
    expanded.add(name);
    open.push(...(groups.get(name) ?? []).toReversed());
  }
  return [...expanded];
}

function secretNames(environment: Environment, states: readonly KeyState[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const state of states) {
    const evaluation = evaluate(environment, state);
    if (evaluation.kind !== 'value' || !evaluation.shown.includes(MASK)) continue;
    for (const name of evaluation.value as readonly string[]) names.add(name);
  }
  return names;
}

function checkNames({ profiles, groups, originOf, secretNames: secret }: ProfileChoice): void {
  const names = [...profiles.active, ...profiles.default, ...[...groups].flat(2)];
  const problems: Problem[] = [...new Set(names)]
    .filter((name) => !NAME.test(name))
    .map((name) =>
      problem(
        `"${sanitizeValue(name, secret.has(name))}" is not a valid profile name`,
        'Use letters, digits and - _ . + @ inside, a letter or digit at both ends; app.profiles.validate=false disables this check.',
        { Origin: from(originOf.get(name)) },
      ),
    );
  if (problems.length > 0) throw new ConfigurationFailure(problems);
}

/** Reports active profiles that no file, group or condition names: they are most likely mistyped. */
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
      const display = sanitizeValue(name, choice.secretNames.has(name));
      return problem(
        `The active profile "${display}" is unknown: no file, no group and no on-profile condition names it`,
        `${near ? `Did you mean "${near}"? ` : ''}Correct app.profiles.active, or add a file application-${display}.yml; ` +
          'app.profiles.validate=false disables this check.',
        {
          Property: 'app.profiles.active',
          Value: `"${choice.profiles.active.map((item) => sanitizeValue(item, choice.secretNames.has(item))).join(',')}"`,
          Origin: from(choice.originOf.get(name)),
        },
      );
    });
}

/**
 * Returns the value of a key that reading itself needs, before keys are bound.
 * @throws ConfigurationFailure for an invalid value
 */
export function valueOf<T>(environment: Environment, state: KeyState & Bound<T>): T | undefined {
  const evaluation = evaluate(environment, state);
  if (evaluation.kind === 'problem') throw new ConfigurationFailure([evaluation.problem]);
  return evaluation.kind === 'value' ? (evaluation.value as T) : undefined;
}

function textsOf(environment: Environment, state: KeyState): readonly string[] | undefined {
  return valueOf<readonly string[]>(environment, state)?.filter((text) => text !== '');
}
