import type { Environment } from '../read/environment.js';
import { KeyName } from '../names/key-name.js';
import type { KeyDefinition, KeyRegistry } from '../names/key-registry.js';
import type { KeyType, ListType, ScalarType } from './key-type.js';
import type { Origin } from '../read/origin.js';
import { isSecretName } from '../../kernel/redaction/secrets.js';
import type { ConfigSource, Entry } from '../read/source.js';

/** The value that one source assigns to one key: a text, or the elements of a sequence. */
export interface Assignment {
  readonly source: ConfigSource;
  readonly origin: Origin;
  readonly content: Entry | readonly Entry[];
}

/** One concrete key with its assignments in all sources, highest first; binding and display both use it. */
export interface KeyState {
  /** Name in documents and reports, with free parts filled in. */
  readonly name: string;
  readonly definition: KeyDefinition;
  readonly type: ScalarType<unknown> | ListType<unknown>;
  readonly isSecret: boolean;
  readonly assignments: readonly Assignment[];
}

/** The state of a key of one value, scalar or list. */
export function stateOf(
  environment: Environment,
  definition: KeyDefinition,
  name = definition.name,
  key = definition.key,
  type = definition.type,
): KeyState {
  if (type.shape !== 'scalar' && type.shape !== 'list') throw new TypeError(`${name} has no single value`);
  const found = environment.sources.flatMap((source) => {
    const assignment = type.shape === 'list' ? listAssignment(source, key) : scalarAssignment(source, key);
    return assignment ? [assignment] : [];
  });
  const replacing = environment.replacing(key);
  const assignments = replacing === undefined || found[0]?.source === replacing ? found : [];
  return { name, definition, type, isSecret: definition.facts.secret ?? isSecretName(name), assignments };
}

function scalarAssignment(source: ConfigSource, key: KeyName): Assignment | undefined {
  const entry = source.find(key);
  return entry && { source, origin: entry.origin, content: entry };
}

function listAssignment(source: ConfigSource, key: KeyName): Assignment | undefined {
  const whole = scalarAssignment(source, key);
  if (whole) return whole;
  const byIndex = new Map<number, Entry>();
  for (const entry of source.below(key)) {
    if (entry.key.length !== key.length + 1 || !entry.key.isElement) continue;
    const index = Number(entry.key.lastPart);
    // If an element has two spellings, such as two names of a variable, the first one wins, as for a scalar.
    if (!byIndex.has(index)) byIndex.set(index, entry);
  }
  const elements = [...byIndex].sort(([a], [b]) => a - b).map(([, entry]) => entry);
  const [first] = elements;
  return first && { source, origin: first.origin, content: elements };
}

/** States of all keys of a definition: one, or one per free part that a source names. */
export function statesOf(
  environment: Environment,
  definition: KeyDefinition,
  registry: KeyRegistry,
): readonly KeyState[] {
  const { type } = definition;
  if (type.shape === 'scalar' || type.shape === 'list') return [stateOf(environment, definition)];
  if (type.shape === 'map') {
    return [...freeParts(environment, definition)].map(([text, key]) =>
      stateOf(environment, definition, nameBelow(definition, text, key), key, type.element),
    );
  }
  const members = registry.membersOf(definition);
  return [...freeParts(environment, definition, members)].flatMap(([text, key]) =>
    members.definitions.flatMap((member) =>
      statesOfMember(
        environment,
        member,
        `${nameBelow(definition, text, key)}.${member.name}`,
        key.append(String(member.key)),
      ),
    ),
  );
}

/** States of a member of a named object, which may itself be a map. */
function statesOfMember(
  environment: Environment,
  member: KeyDefinition,
  name: string,
  key: KeyName,
): readonly KeyState[] {
  const { type } = member;
  if (type.shape !== 'map') return [stateOf(environment, member, name, key)];
  const named = { ...member, name, key };
  return [...freeParts(environment, named)].map(([text, partKey]) =>
    stateOf(environment, member, nameBelow(named, text, partKey), partKey, type.element),
  );
}

/** The state of every key of the registry, in its order. */
export function allStates(environment: Environment, registry: KeyRegistry): readonly KeyState[] {
  return registry.classes
    .flatMap((owner) => registry.definitionsOf(owner))
    .flatMap((definition) => statesOf(environment, definition, registry));
}

/** Returns `logging.level.auth`, or `logging.level[Auth]` if only the exact text names the key. */
export function nameBelow(definition: KeyDefinition, text: string, key: KeyName): string {
  const base = baseName(definition);
  const plain = KeyName.parse(`${base}.${text}`);
  // The key of a map may contain a dot, which ends the name of an object.
  const isPlain = plain.uniform === key.uniform && (definition.type.shape === 'map' || plain.length === key.length);
  return isPlain ? `${base}.${text}` : `${base}[${text}]`;
}

/** `logging.level` of `logging.level.<logger>`. */
export function baseName({ name }: KeyDefinition): string {
  return name.replace(/\.<[^>]*>$/, '');
}

/**
 * Collects the free parts of a map or of named objects over all sources. Of several spellings, the one of the highest file
 * or argument is used, because the environment has no capitals. A named object exists only if a key of its class
 * (`members`) is set.
 */
export function freeParts(
  environment: Environment,
  { key: base, type }: KeyDefinition,
  members?: KeyRegistry,
): ReadonlyMap<string, KeyName> {
  const found = new Map<string, { text: string; key: KeyName; fromEnvironment: boolean }>();
  const replacing = environment.replacing(base);
  for (const source of replacing ? [replacing] : environment.sources) {
    const fromEnvironment = source.kind === 'environment';
    for (const { key } of source.below(base)) {
      if (members && !members.find(KeyName.parse(key.uniformFrom(base.length + 1)))) continue;
      const end = type.shape === 'objects' ? base.length + 1 : freePartLength(key, base, type);
      const uniform = key.uniformFrom(base.length, end);
      const known = found.get(uniform);
      if (!known || (known.fromEnvironment && !fromEnvironment)) {
        found.set(uniform, { text: key.textFrom(base.length, end), key: key.firstParts(end), fromEnvironment });
      }
    }
  }
  const parts = new Map<string, KeyName>();
  // `[Exact]` and `Exact` are two names of one map key: the higher source was found first.
  for (const { text, key } of found.values()) if (!parts.has(text)) parts.set(text, key);
  return parts;
}

function freePartLength(key: KeyName, base: KeyName, type: KeyType): number {
  const isElement =
    type.shape === 'map' && type.element.shape === 'list' && key.length > base.length + 1 && key.isElement;
  return isElement ? key.length - 1 : key.length;
}
