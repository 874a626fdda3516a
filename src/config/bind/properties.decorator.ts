import type { Bound, KeyType } from './key-type.js';
import { declareClass, declareProperty, type KeyFacts, type PropertiesClass } from './properties-class.js';

/**
 * Binds the `@Key` properties of a class below `prefix`. Exporting the class from a `*.properties.ts` file registers it.
 */
export function Properties(prefix: string, { since = '0.1.0' } = {}): (target: PropertiesClass) => void {
  return (target) => {
    declareClass(target, { prefix, since, isMembers: false });
  };
}

/** Marks a class for the members of named objects, or for those of a separate file, below `prefix` there. */
export function Members(prefix = '', { since = '0.1.0' } = {}): (target: PropertiesClass) => void {
  return (target) => {
    declareClass(target, { prefix, since, isMembers: true });
  };
}

/** Binds one property to a key; the property's initialiser is the default, and its type must fit the key's. */
export function Key<T>(
  type: KeyType & Bound<T>,
  facts: KeyFacts,
): <P extends string>(target: Readonly<Partial<Record<P, T>>>, property: P) => void {
  return (target, property) => {
    declareProperty(target.constructor, { ...facts, property, type });
  };
}
