import type { Effect } from './effect.js';
import type { KeyType } from './key-type.js';
import { ifBound } from './unbound.js';

/** A class of typed values below one prefix: its initialisers are the defaults of its keys. */
export type PropertiesClass<T extends object = object> = new () => T;

/** A violated rule over several values of one class. */
export interface Violation {
  /** Name of the invalid property. */
  readonly property: string;
  /** The properties it conflicts with; there is no report if one of them could not be bound. */
  readonly against: readonly string[];
  readonly reason: string;
  /** The action, if it is more than to change one of the values. */
  readonly action?: string;
}

/** Implemented by a properties class with values that must fit each other; called after all are converted. */
export interface SelfChecking {
  violations(): readonly Violation[];
}

/** An effective value that replaces the configured one. */
export interface Adjustment {
  readonly property: string;
  /** The effective value, of the type of the property. */
  readonly value: unknown;
  /** The reason, which ends a sentence. */
  readonly reason: string;
}

/** Implemented by a properties class that replaces values by safer ones; configprops and the log show them. */
export interface SelfAdjusting {
  adjustments(): readonly Adjustment[];
}

/** Returns the replacement of a value of a bound object; undefined if the value itself is effective. */
export function adjustmentOf(instance: object, property: string): Adjustment | undefined {
  if (!('adjustments' in instance)) return undefined;
  // A value that could not be bound is reported, and the adjustments of its class are not known.
  const adjustments = ifBound(() => (instance as SelfAdjusting).adjustments(), []);
  return adjustments.find((adjustment) => adjustment.property === property);
}

export interface KeyFacts {
  /** The purpose of the key, in one sentence without its name. */
  readonly does: string;
  readonly effect: Effect;
  /** Name below the prefix, if it is not the property name in kebab case. */
  readonly name?: string;
  /** The default in words, if it depends on another key or on the machine. */
  readonly defaultText?: string;
  /** Masked wherever values are shown. Names ending in `password`, `secret`, `token`, `key` … are secret without it. */
  readonly secret?: boolean;
  /** The value may also be the path of a file with the secret, which may be written in clear text, but is not shown. */
  readonly mayBeFilePath?: boolean;
  /** First version with the key, if it is newer than its class. */
  readonly since?: string;
  /** True if the key can be set only for the process (command line, `-D`, environment), never in files. */
  readonly fromProcessOnly?: boolean;
}

export interface PropertyMetadata extends KeyFacts {
  readonly property: string;
  readonly type: KeyType;
}

export interface ClassMetadata {
  readonly prefix: string;
  readonly since: string;
  readonly properties: readonly PropertyMetadata[];
}

interface Declared {
  readonly prefix: string;
  readonly since: string;
  /** True for members of named objects and of separate files, which are not keys by themselves. */
  readonly isMembers: boolean;
}

const declaredClasses = new WeakMap<object, Declared>();
const propertiesOf = new WeakMap<object, PropertyMetadata[]>();

export function declareClass(target: object, declared: Declared): void {
  declaredClasses.set(target, declared);
}

export function declareProperty(target: object, metadata: PropertyMetadata): void {
  const known = propertiesOf.get(target);
  if (known) known.push(metadata);
  else propertiesOf.set(target, [metadata]);
}

/** True for a class that carries `@Properties`. */
export function isPropertiesClass(value: unknown): value is PropertiesClass {
  return typeof value === 'function' && declaredClasses.get(value)?.isMembers === false;
}

/** The metadata that the decorators of a class declare; its own keys first, then those it inherits. */
export function metadataOf(target: PropertiesClass): ClassMetadata {
  const declared = declaredClasses.get(target);
  if (!declared) throw new TypeError(`${target.name} carries no @Properties or @Members`);
  const properties: PropertyMetadata[] = [];
  for (let at: object | null = target; at; at = Object.getPrototypeOf(at) as object | null) {
    properties.push(...(propertiesOf.get(at) ?? []));
  }
  return { prefix: declared.prefix, since: declared.since, properties };
}
