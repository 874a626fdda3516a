import { type Position, positionIn } from '../../../config/read/origin.js';
import type { Value } from '../unit-of-work.js';
import type { MapperProblems } from './mapper-problems.js';
import type { MapperNode } from './mapper-xml.js';
import { Mapping } from './mapping.js';
import { isInheritedName, MISSING, type Scope, valueAt } from './scope.js';

/** A value that a statement binds, with its name for the log. */
export interface BoundValue {
  readonly name: string;
  readonly value: Value;
}

/** SQL with a `?` for each of its values. */
export interface Sql {
  readonly text: string;
  readonly bound: readonly BoundValue[];
}

/** A part of a statement, rendered at each call. */
export type SqlNode = (scope: Scope) => Sql;

export const NOTHING: Sql = { text: '', bound: [] };

export function joined(parts: readonly Sql[], separator = ''): Sql {
  return { text: parts.map(({ text }) => text).join(separator), bound: parts.flatMap(({ bound }) => bound) };
}

/** The statement that a text belongs to. */
interface Owner {
  readonly statement: string;
  readonly namespace: string;
  readonly problems: MapperProblems;
}

/** Splits the text between two tags into SQL and references. */
export function readSqlText({ text, at }: MapperNode, owner: Owner): readonly SqlNode[] {
  let end = 0;
  return text.split(/([#$]\{[^}]*\}?|\?)/).flatMap((piece, index) => {
    const start = end;
    end += piece.length;
    const before = text.slice(0, start);
    const node = index % 2 === 0 ? literal(piece) : reference(piece, before, owner);
    if (typeof node !== 'string') return node;
    owner.problems.add(positionAfter(before, at), 'The text of a statement cannot be used', node);
    return [];
  });
}

function positionAfter(before: string, { resource, line, column }: Position): Position {
  const lines = before.split('\n');
  const width = lines.at(-1)?.length ?? 0;
  return positionIn(resource, line + lines.length - 1, lines.length === 1 ? column + width : width + 1);
}

function literal(text: string): SqlNode {
  const sql = { text, bound: [] };
  return () => sql;
}

/** Returns the reason if the text is not a reference. */
function reference(text: string, before: string, owner: Owner): SqlNode | string {
  if (text === '?') return 'write #{name} for a value; "?" is not accepted';
  if (!text.endsWith('}')) return 'a "}" is missing';
  if (isQuoted(before)) return 'a reference inside quotes would not be bound';
  return text.startsWith('#') ? valueOf(text, owner) : allowedText(text, owner);
}

/** True behind an odd number of quotes of one kind. */
function isQuoted(before: string): boolean {
  return ["'", '"', '`'].some((quote) => before.split(quote).length % 2 === 0);
}

/** `#{path}` is a bound value. The driver binds values of any type, so that a type is read and has no effect. */
function valueOf(text: string, { statement }: Owner): SqlNode | string {
  const [, path] = /^#\{\s*([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\s*(?:,\s*jdbcType\s*=\s*[A-Z]+\s*)?\}$/.exec(text) ?? [];
  const names = path?.split('.') ?? [];
  if (path === undefined || names.some(isInheritedName)) {
    return `${text} is not a parameter, such as #{user.name} or #{name,jdbcType=VARCHAR}`;
  }
  return (scope) => {
    const value = valueAt(scope, names);
    if (value === MISSING) throw new TypeError(`${statement} has no parameter ${path}`);
    return { text: '?', bound: [{ name: path, value: storable(value, statement, path) }] };
  };
}

/** `${name}` is one of the texts that the program allows. */
function allowedText(text: string, { namespace }: Owner): SqlNode | string {
  const name = text.slice(2, -1).trim();
  if (!Mapping.allows(namespace, name)) return `the program allows no \${${name}} in ${namespace}`;
  return (scope) => ({ text: Mapping.allowedText(namespace, name, valueAt(scope, [name])), bound: [] });
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
