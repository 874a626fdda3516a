import { Mapping } from './mapping.js';
import type { MapperConfigurationProperties } from './mapper.properties.js';
import { isInheritedName } from './scope.js';

/** The type of the rows of a statement. */
export type ResultType =
  /** The first column of each row. */
  | { readonly kind: 'scalar'; readonly convert: (value: unknown) => unknown }
  /** Objects with these members; undefined if any column is a member. */
  | { readonly kind: 'object'; readonly members?: ReadonlySet<string> };

/** The names of result types that files write without their package. */
export interface TypeNames {
  readonly packages: readonly string[];
  readonly aliases: ReadonlyMap<string, string>;
}

const scalar = (convert: (value: unknown) => unknown): ResultType => ({
  kind: 'scalar',
  convert: (value) => (value === null ? null : convert(value)),
});

const BUILT_IN: ReadonlyMap<string, ResultType> = new Map<string, ResultType>([
  ...['map', 'hashmap'].map((name) => [name, { kind: 'object' }] as const),
  ...['int', 'integer', 'long', 'double'].map((name) => [name, scalar(Number)] as const),
  ['string', scalar(String)],
  ['boolean', scalar((value) => value !== 0)],
]);

/**
 * Finds a type: built in, by its alias or full name, or by its short name. A short name is one of the packages, in their order,
 * or of the namespace of the file.
 */
export function resultTypeOf(
  name: string,
  namespace: string,
  { packages, aliases }: TypeNames,
): ResultType | undefined {
  const full = aliases.get(name) ?? name;
  const builtIn = BUILT_IN.get(full.toLowerCase());
  if (builtIn) return builtIn;
  const candidates = [full, ...[...packages, namespace].map((each) => `${each}.${full}`)];
  const members = candidates.map((each) => Mapping.membersOf(each)).find((each) => each !== undefined);
  return members && { kind: 'object', members };
}

type Settings = Pick<MapperConfigurationProperties, 'mapUnderscoreToCamelCase' | 'callSettersOnNulls'>;

/** Maps the rows of a statement to results of its type. */
export function mapRows(rows: readonly object[], type: ResultType, settings: Settings): readonly unknown[] {
  if (type.kind === 'scalar') return rows.map((row) => type.convert(Object.values(row)[0] ?? null));
  const columns = Object.keys(rows[0] ?? {});
  const nameOf = (column: string): string | undefined => memberOf(column, type.members, settings);
  // A copy of each row would cost more than the rest of the mapper.
  if (settings.callSettersOnNulls && columns.every((column) => nameOf(column) === column)) return rows;
  const members = columns.map((column) => [column, nameOf(column)] as const);
  return rows.map((row) => {
    const result: Record<string, unknown> = {};
    for (const [column, member] of members) {
      const value = (row as Readonly<Record<string, unknown>>)[column];
      if (member !== undefined && (value !== null || settings.callSettersOnNulls)) result[member] = value;
    }
    return result;
  });
}

function memberOf(
  column: string,
  members: ReadonlySet<string> | undefined,
  { mapUnderscoreToCamelCase }: Settings,
): string | undefined {
  if (members?.has(column)) return column;
  const name = mapUnderscoreToCamelCase ? camelCase(column) : column;
  // An assignment to `__proto__` would not create a member.
  return !isInheritedName(name) && (members?.has(name) ?? true) ? name : undefined;
}

function camelCase(column: string): string {
  return column.toLowerCase().replaceAll(/(?<=[^_])_+([^_])/g, (_, letter: string) => letter.toUpperCase());
}
