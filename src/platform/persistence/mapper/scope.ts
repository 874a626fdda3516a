/** Stands for a name that does not exist. */
export const MISSING = Symbol('missing');

/** Names that lead out of an object of data. */
const INHERITED: ReadonlySet<string> = new Set(['__proto__', 'prototype', 'constructor']);

export function isInheritedName(name: string): boolean {
  return INHERITED.has(name);
}

/** The names that a statement can use: its parameters, and those of the loops around. */
export class Scope {
  constructor(
    private readonly parameters: object,
    private readonly outer?: Scope,
  ) {}

  /** Only own properties count, so that no name reaches a prototype. */
  find(name: string): unknown {
    const own = ownMember(this.parameters, name);
    return own === MISSING && this.outer ? this.outer.find(name) : own;
  }

  /** The value at a path of names, or `MISSING`. */
  at(path: readonly string[]): unknown {
    const [first = '', ...rest] = path;
    return rest.reduce(ownMember, this.find(first));
  }
}

function ownMember(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || isInheritedName(name)) return MISSING;
  return Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : MISSING;
}
