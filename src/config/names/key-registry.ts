import leven from 'leven';
import { KeyName, variableForms } from './key-name.js';
import type { KeyType } from '../bind/key-type.js';
import { metadataOf, type PropertiesClass, type PropertyMetadata } from '../bind/properties-class.js';
import { isSecretName } from '../../kernel/redaction/secrets.js';

/** The definition of one key; a free part is written in angle brackets, e.g. `logging.level.<logger>`. */
export interface KeyDefinition {
  readonly name: string;
  readonly key: KeyName;
  readonly type: KeyType;
  readonly facts: PropertyMetadata;
  readonly owner: PropertiesClass;
  readonly since: string;
  /** True if the value is never shown. */
  readonly isSecret: boolean;
  /** The default in the form of the configuration; absent without a default. */
  readonly defaultValue: string | undefined;
  /** The default for documentation, possibly in words. */
  readonly defaultText: string | undefined;
}

/** Sections that belong to the service: an unknown key in them is a mistake. */
const OWNED = ['app', 'server', 'management', 'logging', 'mapper'] as const;

/**
 * All keys of the service, read from the decorators of the properties classes (configuration-sources.md, "Unknown
 * keys").
 */
export class KeyRegistry {
  /** All keys in the order of their classes; members of named objects follow the key that holds them. */
  readonly definitions: readonly KeyDefinition[];

  private readonly byKey = new Map<string, KeyDefinition>();
  private readonly byVariable = new Map<string, KeyDefinition>();
  /** Maps and named objects, by the uniform name above their free part. */
  private readonly open = new Map<string, KeyDefinition>();
  private readonly members = new Map<KeyDefinition, KeyRegistry>();

  constructor(readonly classes: readonly PropertiesClass[]) {
    const definitions: KeyDefinition[] = [];
    for (const owner of classes) {
      for (const definition of definitionsOf(owner)) {
        definitions.push(definition, ...this.register(definition));
      }
    }
    this.definitions = definitions;
  }

  private register(definition: KeyDefinition): readonly KeyDefinition[] {
    const { key, type } = definition;
    if (this.byKey.has(key.uniform) || this.open.has(key.uniform)) {
      throw new TypeError(`the key ${definition.name} is registered twice`);
    }
    for (const form of variableForms(namePrefix(definition))) this.byVariable.set(form, definition);
    if (type.shape === 'scalar' || type.shape === 'list') {
      this.byKey.set(key.uniform, definition);
      return [];
    }
    this.open.set(key.uniform, definition);
    if (type.shape === 'map') return [];
    const members = new KeyRegistry([type.of]);
    this.members.set(definition, members);
    return members.definitions.map((member) => ({ ...member, name: `${definition.name}.${member.name}` }));
  }

  /** The definition a key falls under; an element of a list or map falls under the list or map. */
  find(key: KeyName): KeyDefinition | undefined {
    const exact = this.byKey.get(key.uniform);
    if (exact) return exact;
    if (key.isElement) {
      const listed = this.byKey.get(key.uniformFrom(0, key.length - 1));
      if (listed?.type.shape === 'list') return listed;
    }
    for (let length = key.length - 1; length > 0; length--) {
      const holder = this.open.get(key.uniformFrom(0, length));
      if (!holder) continue;
      if (holder.type.shape === 'map') return holder;
      const member = this.membersOf(holder).find(KeyName.parse(key.uniformFrom(length + 1)));
      if (member) return { ...member, name: `${holder.name}.${member.name}` };
    }
    return undefined;
  }

  /** The keys one class declares, members of its named objects apart. */
  definitionsOf(owner: PropertiesClass): readonly KeyDefinition[] {
    return this.definitions.filter((definition) => definition.owner === owner);
  }

  /** Returns the registry of the class that describes the named objects of a key. */
  membersOf(definition: KeyDefinition): KeyRegistry {
    const members = this.members.get(definition);
    if (!members) throw new TypeError(`${definition.name} holds no named objects`);
    return members;
  }

  /**
   * The key an environment variable sets, or undefined if it is not ours (configuration-sources.md, "Key names").
   */
  keyOfVariable(variable: string): KeyName | undefined {
    const name = variable
      .toUpperCase()
      .replaceAll(/[.\-[\]]+/g, '_')
      .replace(/_$/, '');
    const definition = this.byVariable.get(name);
    if (definition && (definition.type.shape === 'scalar' || definition.type.shape === 'list')) return definition.key;
    const indexed = /^(.+)_(\d+)$/.exec(name);
    const listed = indexed && this.byVariable.get(indexed[1] ?? '');
    if (listed?.type.shape === 'list') return listed.key.appendIndex(Number(indexed?.[2]));
    for (let end = name.lastIndexOf('_'); end > 0; end = name.lastIndexOf('_', end - 1)) {
      const holder = this.byVariable.get(name.slice(0, end));
      const key = holder && this.keyBelow(holder, name.slice(end + 1));
      if (key) return key;
    }
    return undefined;
  }

  private keyBelow(holder: KeyDefinition, rest: string): KeyName | undefined {
    if (holder.type.shape === 'map') {
      const key = holder.key.append(rest.toLowerCase().replaceAll('_', '.'));
      return key.length > holder.key.length ? key : undefined;
    }
    if (holder.type.shape !== 'objects') return undefined;
    for (let cut = rest.indexOf('_'); cut !== -1; cut = rest.indexOf('_', cut + 1)) {
      const name = rest.slice(0, cut).toLowerCase().replaceAll('_', '');
      const member = name === '' ? undefined : this.membersOf(holder).keyOfVariable(rest.slice(cut + 1));
      if (member) return holder.key.append(`[${name}]`).append(String(member));
    }
    return undefined;
  }

  isOwned(key: KeyName): boolean {
    return (OWNED as readonly string[]).includes(key.uniformPart(0));
  }

  /** Definitions below the key; any text matches a free part. */
  below(key: KeyName): readonly KeyDefinition[] {
    return this.definitions.filter(({ name }) => {
      const parts = name.split('.');
      const fits = (part: string, index: number): boolean =>
        part.startsWith('<') || KeyName.parse(part).uniform === key.uniformPart(index);
      return parts.length > key.length && parts.slice(0, key.length).every(fits);
    });
  }

  /** The known name that is most similar to a mistyped one, with its free part; undefined if none is similar. */
  nearest(wrong: string): string | undefined {
    const target = comparable(wrong);
    let best: { name: string; distance: number } | undefined;
    for (const definition of this.definitions) {
      // Named objects are set by their members, which are definitions of their own.
      if (definition.type.shape === 'objects') continue;
      const { name, free } = withFreePart(definition.name, wrong);
      const candidate = comparable(name.replace(/\.<[^>]*>$/, ''));
      const farthest = Math.max(2, Math.floor((candidate.length - free.length) / 3));
      const distance = leven(target, candidate, { maxDistance: farthest + 1 });
      if (distance <= farthest && (!best || distance < best.distance)) best = { name, distance };
    }
    return best?.name;
  }
}

function definitionsOf(owner: PropertiesClass): readonly KeyDefinition[] {
  const { prefix, properties, since } = metadataOf(owner);
  const defaults = new owner() as Readonly<Record<string, unknown>>;
  return properties.map((facts) => {
    const below = facts.name ?? kebab(facts.property);
    const base = prefix === '' ? below : below === '' ? prefix : `${prefix}.${below}`;
    const { type } = facts;
    const free = type.shape === 'map' || type.shape === 'objects' ? `.<${type.keyedBy}>` : '';
    const defaultValue = formatDefault(type, defaults[facts.property]);
    return {
      name: base + free,
      key: KeyName.parse(base),
      type,
      facts,
      owner,
      since: facts.since ?? since,
      isSecret: facts.secret ?? isSecretName(base),
      defaultValue,
      defaultText: facts.defaultText ?? defaultValue,
    };
  });
}

function formatDefault(type: KeyType, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (type.shape === 'scalar') return type.format(value);
  if (type.shape === 'list') return (value as readonly unknown[]).map((item) => type.element.format(item)).join(',');
  return undefined;
}

function namePrefix({ name, type }: KeyDefinition): string {
  return type.shape === 'map' || type.shape === 'objects' ? name.replace(/\.<[^>]*>$/, '') : name;
}

function kebab(property: string): string {
  return property.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** `logging.level.auth` of `logging.level.<logger>` and the mistyped `logging.levels.auth`. */
function withFreePart(name: string, wrong: string): { readonly name: string; readonly free: string } {
  const [holder = '', rest = ''] = name.split(/<[^>]*>/);
  if (holder === name) return { name, free: '' };
  const parts = wrong.split('.').slice(holder.split('.').length - 1);
  // The key of a map may have dots, the name of an object ends at the first.
  const free = (rest === '' ? parts : parts.slice(0, 1)).join('.');
  return free === '' ? { name, free } : { name: holder + free + rest, free };
}

function comparable(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]|\[\d*\]/g, '');
}
