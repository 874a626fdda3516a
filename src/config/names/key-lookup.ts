import type { Environment } from '../read/environment.js';
import { KeyName } from './key-name.js';
import type { KeyDefinition, KeyRegistry } from './key-registry.js';
import { allStates, type KeyState, stateOf, statesOf } from '../bind/key-state.js';
import type { ConfigSource, Entry } from '../read/source.js';
import { keyReadFrom } from '../read/variables.js';

/** A registered key that a caller requests: its whole value, or one element of a list. */
export interface RequestedKey {
  readonly state: KeyState;
  readonly index?: number;
}

/** Resolves a key in any spelling, including the form of an environment variable. */
export function keyFromInput(environment: Environment, registry: KeyRegistry, name: string): KeyName {
  const ofVariable = name.includes('.') ? undefined : registry.keyOfVariable(name);
  if (ofVariable) return ofVariable;
  const key = KeyName.parse(name);
  if (registry.find(key)) return key;
  // `TZ` is an alias of `user.timezone`, not one of its spellings.
  const spelled = environment.sources.map((source) => source.findSpelled(name)).find((entry) => entry !== undefined);
  return spelled && registry.find(spelled.key) ? spelled.key : key;
}

/** Entries of all sources under a name that is not a registered key, highest first. */
export function unregisteredEntries(
  environment: Environment,
  name: string,
): ReadonlyMap<ConfigSource, readonly Entry[]> {
  // The name of a variable is also a spelling of the key that it sets.
  const read = name.includes('.') ? undefined : keyReadFrom(name);
  const holders = new Map<ConfigSource, readonly Entry[]>();
  for (const source of environment.sources) {
    const named = environment.entriesNamed(source, name);
    const entry = named.length === 0 && read && read.length > 0 ? source.find(read) : undefined;
    const entries = entry ? [entry] : named;
    if (entries.length > 0) holders.set(source, entries);
  }
  return holders;
}

/** The state of a registered key; undefined if it is not registered, or if no source sets this free part. */
export function requestedKey(environment: Environment, registry: KeyRegistry, key: KeyName): RequestedKey | undefined {
  const definition = registry.find(key);
  if (!definition) return undefined;
  const states = allStates(environment, registry);
  const state = stateOfName(states, key);
  if (state) return { state };
  if (!isListElement(definition, key)) return undefined;
  const list = stateOfName(states, key.firstParts(key.length - 1));
  return list && { state: list, index: Number(key.lastPart) };
}

/** The state of a registered key of one value, by its name. */
export function stateOfKey(environment: Environment, registry: KeyRegistry, name: string): KeyState {
  const [state] = statesOf(environment, definitionOf(registry, name), registry);
  if (!state) throw new TypeError(`the key ${name} has no single value`);
  return state;
}

/** The state of any key of one value, of a map entry or a member of a named object as well. */
export function requestedState(environment: Environment, registry: KeyRegistry, name: string): KeyState | undefined {
  const key = KeyName.parse(name);
  const definition = registry.find(key);
  const isPlain = definition?.type.shape === 'scalar' && definition.key.uniform === key.uniform;
  return isPlain ? stateOf(environment, definition) : requestedKey(environment, registry, key)?.state;
}

export function definitionOf(registry: KeyRegistry, name: string): KeyDefinition {
  const definition = registry.find(KeyName.parse(name));
  if (!definition) throw new TypeError(`the key ${name} is not registered`);
  return definition;
}

/** Finds a state by name; brackets that make a part exact, such as `[com.Acme]`, are optional. */
export function stateOfName(states: readonly KeyState[], key: KeyName): KeyState | undefined {
  return (
    states.find((state) => KeyName.parse(state.name).uniform === key.uniform) ??
    states.find((state) => KeyName.parse(plainName(state)).uniform === key.uniform)
  );
}

/** The name without the brackets that make a part exact. */
function plainName({ name }: KeyState): string {
  return name.replaceAll(/\[([^\]]*)\]/g, '.$1');
}

function isListElement({ type }: KeyDefinition, key: KeyName): boolean {
  const isList = type.shape === 'list' || (type.shape === 'map' && type.element.shape === 'list');
  return isList && key.isElement;
}
