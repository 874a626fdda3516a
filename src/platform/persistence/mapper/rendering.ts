import type { Value } from '../unit-of-work.js';
import { MISSING, Scope } from './scope.js';

/** A value that a statement binds, with its name for the log. */
export interface BoundValue {
  readonly name: string;
  readonly value: Value;
}

/** A part of a statement that adds its SQL and its values. */
export type SqlNode = (rendering: Rendering) => void;

/** The SQL and the values of one call of a statement. */
export class Rendering {
  sql = '';
  readonly bound: BoundValue[] = [];
  /** The position in the loops around, such as `[2]`. */
  private index = '';

  constructor(
    readonly statement: string,
    public scope: Scope,
  ) {}

  get values(): readonly Value[] {
    return this.bound.map(({ value }) => value);
  }

  /** Adds a placeholder and its value. */
  bind(path: readonly string[]): void {
    const name = path.join('.');
    const value = this.scope.at(path);
    if (value === MISSING) throw new TypeError(`${this.statement} has no parameter ${name}`);
    this.bound.push({ name: name + this.index, value: storable(value, this.statement, name) });
    this.sql += '?';
  }

  /** Renders nodes apart and returns their SQL without blanks around it. */
  apart(nodes: readonly SqlNode[]): string {
    const before = this.sql;
    this.sql = '';
    for (const node of nodes) node(this);
    const inner = this.sql.trim();
    this.sql = before;
    return inner;
  }

  /** Renders nodes with further names in scope. */
  within(names: object, position: number, nodes: readonly SqlNode[]): void {
    const { scope, index } = this;
    this.scope = new Scope(names, scope);
    this.index = `${index}[${position}]`;
    for (const node of nodes) node(this);
    this.scope = scope;
    this.index = index;
  }
}

/** `undefined` is null: the driver of a server would throw. */
function storable(value: unknown, statement: string, name: string): Value {
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'string' || value instanceof Uint8Array) return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value === 'bigint') return value.toString();
  throw new TypeError(`the parameter ${name} of ${statement} cannot be stored`);
}
