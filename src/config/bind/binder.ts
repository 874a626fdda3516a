import type { Environment } from '../read/environment.js';
import type { KeyName } from '../names/key-name.js';
import type { KeyDefinition, KeyRegistry } from '../names/key-registry.js';
import { from, type Problem, problem } from '../problem.js';
import type { PropertiesClass, SelfChecking, Violation } from './properties-class.js';
import { evaluate } from './evaluation.js';
import { freeParts, type KeyState, nameBelow, stateOf } from './key-state.js';
import { leaveUnbound } from './unbound.js';

/** Instances of the properties classes, and the problems with their values. */
export interface Bound {
  readonly instances: ReadonlyMap<PropertiesClass, object>;
  readonly problems: readonly Problem[];
}

/** Binds every properties class of the registry; continues after a problem, so that one run reports all of them. */
export function bind(environment: Environment, registry: KeyRegistry): Bound {
  const binding = new Binding(environment);
  const instances = new Map<PropertiesClass, object>();
  for (const [owner, definitions] of byOwner(registry)) {
    instances.set(owner, binding.instance(owner, definitions, registry));
  }
  return { instances, problems: binding.problems };
}

function byOwner(registry: KeyRegistry): ReadonlyMap<PropertiesClass, readonly KeyDefinition[]> {
  return new Map(registry.classes.map((owner) => [owner, registry.definitionsOf(owner)]));
}

class Binding {
  readonly problems: Problem[] = [];

  constructor(private readonly environment: Environment) {}

  instance(
    owner: PropertiesClass,
    definitions: readonly KeyDefinition[],
    registry: KeyRegistry,
    prefix?: { readonly name: string; readonly key: KeyName },
  ): object {
    const instance = new owner() as Record<string, unknown>;
    const states = new Map<string, KeyState>();
    const failed = new Set<string>();
    const holders = new Set<string>();
    for (const definition of definitions) {
      const name = prefix ? `${prefix.name}.${definition.name}` : definition.name;
      const key = prefix ? prefix.key.append(String(definition.key)) : definition.key;
      const before = this.problems.length;
      const value = this.value(definition, name, key, registry, states);
      if (this.problems.length > before) failed.add(definition.facts.property);
      if (value !== undefined) instance[definition.facts.property] = value;
      // Each named object reports its own missing members.
      if (definition.type.shape === 'objects') holders.add(definition.facts.property);
    }
    const violations = isSelfChecking(instance) ? instance.violations() : [];
    for (const violation of violations) {
      if ([violation.property, ...violation.against].some((name) => failed.has(name))) continue;
      this.problems.push(this.violated(states.get(violation.property), violation));
    }
    for (const property of failed) if (!holders.has(property)) leaveUnbound(instance, property);
    return instance;
  }

  private value(
    definition: KeyDefinition,
    name: string,
    key: KeyName,
    registry: KeyRegistry,
    states: Map<string, KeyState>,
  ): unknown {
    const { type, facts } = definition;
    if (type.shape === 'scalar' || type.shape === 'list') {
      const state = stateOf(this.environment, definition, name, key);
      states.set(facts.property, state);
      return this.converted(state);
    }
    const members = type.shape === 'objects' ? registry.membersOf(definition) : undefined;
    const values = new Map<string, unknown>();
    for (const [text, partKey] of freeParts(this.environment, { ...definition, key }, members)) {
      const below = { name: nameBelow({ ...definition, name }, text, partKey), key: partKey };
      if (type.shape === 'map') {
        const value = this.converted(stateOf(this.environment, definition, below.name, partKey, type.element));
        if (value !== undefined) values.set(text, value);
      } else if (members) {
        values.set(text, this.instance(type.of, members.definitions, members, below));
      }
    }
    return values.size > 0 ? values : undefined;
  }

  private converted(state: KeyState): unknown {
    const evaluation = evaluate(this.environment, state);
    if (evaluation.kind === 'problem') this.problems.push(evaluation.problem);
    return evaluation.kind === 'value' ? evaluation.value : undefined;
  }

  private violated(state: KeyState | undefined, { property, reason, action }: Violation): Problem {
    const [winner] = state?.assignments ?? [];
    const evaluation = state && evaluate(this.environment, state);
    const name = state?.name ?? property;
    const usual = `Change ${name} or the other key.`;
    return problem(`The value of ${name} conflicts with other values`, action ?? usual, {
      Property: name,
      Value: evaluation?.kind === 'value' ? `"${evaluation.shown}"` : `"${state?.definition.defaultText ?? ''}"`,
      Origin: winner ? from(winner.origin) : 'default value',
      Reason: reason,
    });
  }
}

function isSelfChecking(instance: object): instance is SelfChecking {
  return 'violations' in instance && typeof instance.violations === 'function';
}
