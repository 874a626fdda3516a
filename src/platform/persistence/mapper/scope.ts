/** Names with their values: the parameters of a statement, and the names of the loops around a tag. */
export type Scope = Readonly<Record<string, unknown>>;

/** Stands for the value of a name that does not exist. */
export const MISSING = Symbol('missing');

/** Names that lead out of an object of data. */
const INHERITED: ReadonlySet<string> = new Set(['__proto__', 'prototype', 'constructor']);

export function isInheritedName(name: string): boolean {
  return INHERITED.has(name);
}

/** Returns the value at a path such as `user.name`, or `MISSING`. Only own properties count, so no name reaches a prototype. */
export function valueAt(scope: Scope, path: readonly string[]): unknown {
  return path.reduce<unknown>(ownMember, scope);
}

function ownMember(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || isInheritedName(name)) return MISSING;
  return Object.hasOwn(value, name) ? (value as Scope)[name] : MISSING;
}
