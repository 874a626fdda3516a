/** Stands for a name that does not exist. */
export const MISSING = Symbol('missing');

/** Names that lead out of an object of data. */
const INHERITED: ReadonlySet<string> = new Set(['__proto__', 'prototype', 'constructor']);

export function isInheritedName(name: string): boolean {
  return INHERITED.has(name);
}

/** The names that a statement can use: its parameters, bound names, and those of the loops around. */
export class Scope {
  /** Created when needed: few statements bind names, and each of them is rendered anew. */
  private bound: Map<string, unknown> | undefined;

  constructor(
    private readonly parameters: object,
    private readonly outer?: Scope,
  ) {}

  /** Only own properties count, so that no name reaches a prototype. */
  find(name: string): unknown {
    if (this.bound?.has(name)) return this.bound.get(name);
    const own = ownMember(this.parameters, name);
    return own === MISSING && this.outer ? this.outer.find(name) : own;
  }

  bind(name: string, value: unknown): void {
    this.bound ??= new Map();
    this.bound.set(name, value);
  }

  /** The value at a path of names, or `MISSING`. */
  at(path: readonly string[]): unknown {
    const [first = ''] = path;
    let value = this.find(first);
    for (const name of path.length > 1 ? path.slice(1) : []) value = ownMember(value, name);
    return value;
  }
}

export function ownMember(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || isInheritedName(name)) return MISSING;
  return Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : MISSING;
}
