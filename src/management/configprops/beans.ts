import { withoutUndefined } from '../../kernel/collections/without-undefined.js';
import type { Configuration } from '../../config/configuration.js';
import { Duration } from '../../config/bind/duration.js';
import { needsWarning } from '../../config/bind/effect.js';
import type { Inspection } from '../../config/show/inspection.js';
import type { KeyDefinition, KeyRegistry } from '../../config/names/key-registry.js';
import { baseName, freeParts, type KeyState, nameBelow, stateOf } from '../../config/bind/key-state.js';
import type { KeyType } from '../../config/bind/key-type.js';
import { adjustmentOf, metadataOf, type PropertiesClass } from '../../config/bind/properties-class.js';
import { MASK, isSecretName, sanitizeValue } from '../../kernel/redaction/secrets.js';
import { emptyTree, setPath, type Tree } from '../tree.js';

/** The properties bound below one prefix (management API, "configprops"). */
export interface Bean {
  readonly prefix: string;
  readonly properties: Tree;
  /** The same structure with the origin of each value and the limits of its key. */
  readonly inputs: Tree;
}

/** Bound objects by `<prefix>-<class>`, limited to prefixes that start with `startsWith`. */
export function describeBeans(
  configuration: Configuration,
  inspection: Inspection,
  showsValues: boolean,
  startsWith = '',
): Readonly<Record<string, Bean>> {
  const { registry } = configuration;
  const wanted = registry.classes.filter((owner) => metadataOf(owner).prefix.startsWith(startsWith));
  const report = new Report(configuration, inspection, showsValues);
  return Object.fromEntries(wanted.map((owner) => [`${metadataOf(owner).prefix}-${owner.name}`, report.bean(owner)]));
}

class Report {
  constructor(
    private readonly configuration: Configuration,
    private readonly inspection: Inspection,
    private readonly showsValues: boolean,
  ) {}

  bean(owner: PropertiesClass): Bean {
    const { prefix } = metadataOf(owner);
    const bean = { prefix, properties: emptyTree(), inputs: emptyTree() };
    const { registry } = this.configuration;
    for (const definition of registry.definitionsOf(owner)) {
      const path = camelPath(baseName(definition).slice(prefix.length));
      const bound = this.configuration.get(owner);
      const value = memberOf(bound, definition);
      if (definition.type.shape === 'scalar' || definition.type.shape === 'list') {
        const adjustment = adjustmentOf(bound, definition.facts.property);
        const effective = adjustment ? adjustment.value : value;
        const state = stateOf(this.configuration.environment, definition);
        this.leaf(bean, path, state, effective, adjustment?.reason);
      } else {
        this.entries(bean, path, definition, value as ReadonlyMap<string, unknown> | undefined, registry);
      }
    }
    return bean;
  }

  private entries(
    bean: Bean,
    path: readonly string[],
    definition: KeyDefinition,
    values: ReadonlyMap<string, unknown> = new Map(),
    registry: KeyRegistry,
  ): void {
    const { environment } = this.configuration;
    const { type } = definition;
    const members = type.shape === 'objects' ? registry.membersOf(definition) : undefined;
    if (path.length > 0 && values.size === 0) {
      setPath(bean.properties, path, emptyTree());
      setPath(bean.inputs, path, emptyTree());
    }
    for (const [text, key] of freeParts(environment, definition, members)) {
      if (!values.has(text)) continue;
      const name = nameBelow(definition, text, key);
      const value = values.get(text);
      if (type.shape === 'map') {
        this.leaf(bean, [...path, text], stateOf(environment, definition, name, key, type.element), value);
      }
      for (const member of members?.definitions ?? []) {
        const below = { ...member, name: `${name}.${member.name}`, key: key.append(String(member.key)) };
        this.member(bean, [...path, text, ...camelPath(baseName(member))], below, memberOf(value, member), registry);
      }
    }
  }

  /** A member of a named object, which may itself be a map. */
  private member(
    bean: Bean,
    path: readonly string[],
    definition: KeyDefinition,
    value: unknown,
    registry: KeyRegistry,
  ): void {
    const { name, key, type } = definition;
    if (type.shape === 'scalar' || type.shape === 'list') {
      this.leaf(bean, path, stateOf(this.configuration.environment, definition, name, key), value);
    } else {
      this.entries(bean, path, definition, value as ReadonlyMap<string, unknown> | undefined, registry);
    }
  }

  private leaf(bean: Bean, path: readonly string[], state: KeyState, value: unknown, reason?: string): void {
    const [winner] = state.assignments;
    const source = winner && this.inspection.assigned(winner);
    const configured = this.inspection.effectiveValue(state);
    const isSecret = configured === MASK || (configured === undefined && (state.isSecret || isSecretName(state.name)));
    const isShown = this.showsValues && !isSecret;
    if (value !== undefined) setPath(bean.properties, path, written(state.type, value, isShown));
    const { effect } = state.definition.facts;
    const note = reason ?? this.inspection.noteOf(state);
    setPath(bean.inputs, path, {
      ...(source && { value: isShown ? configured : MASK, origin: source.origin }),
      ...withoutUndefined({ note }),
      ...(needsWarning(effect) && { effect: effect.level, note: effect.note }),
    });
  }
}

/** Numbers, booleans and lists keep their type, durations are ISO 8601, other values have the form of the configuration. */
function written(type: KeyType, value: unknown, isShown: boolean): unknown {
  if (type.shape === 'list') {
    return (value as readonly unknown[]).map((item) => written(type.element, item, isShown));
  }
  if (!isShown || type.shape !== 'scalar') return MASK;
  if (value instanceof Duration) return value.toIso();
  return typeof value === 'number' || typeof value === 'boolean' ? value : sanitizeValue(type.format(value), false);
}

function memberOf(instance: unknown, { facts }: KeyDefinition): unknown {
  return (instance as Readonly<Record<string, unknown>> | undefined)?.[facts.property];
}

/** Converts `keystore.private-key` to `keystore`, `privateKey`. */
function camelPath(name: string): readonly string[] {
  return name
    .split('.')
    .filter((part) => part !== '')
    .map((part) => part.replaceAll(/[-_]+(.)/g, (_, letter: string) => letter.toUpperCase()));
}
