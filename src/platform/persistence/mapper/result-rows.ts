import { Mapping } from './mapping.js';
import { isInheritedName } from './scope.js';

/** The rows of a statement: objects, or the first column of each row. */
export type ResultShape =
  | { readonly kind: 'scalar'; readonly convert: (value: unknown) => unknown }
  | {
      readonly kind: 'object';
      /** The members of the type; undefined if any column is one. */
      readonly members?: ReadonlySet<string> | undefined;
    };

export interface ResultSettings {
  readonly mapUnderscoreToCamelCase: boolean;
  readonly callSettersOnNulls: boolean;
}

export const ANY_OBJECT: ResultShape = { kind: 'object' };

const number: ResultShape = { kind: 'scalar', convert: (value) => (value === null ? null : Number(value)) };
const BUILT_IN: Readonly<Record<string, ResultShape>> = {
  ...{ map: ANY_OBJECT, hashmap: ANY_OBJECT },
  ...{ int: number, integer: number, long: number, double: number },
  string: { kind: 'scalar', convert: (value) => (value === null ? null : `${value as string | number}`) },
  boolean: { kind: 'scalar', convert: (value) => (value === null ? null : value !== 0) },
};

/** Names of result types that may be written without their package. */
export interface TypeNames {
  readonly packages: readonly string[];
  readonly aliases: ReadonlyMap<string, string>;
}

/** The shape of a type: built in, an alias, declared by its full name, or in one of the packages. */
export function shapeOfType(name: string, { packages, aliases }: TypeNames): ResultShape | undefined {
  const builtIn = name.toLowerCase();
  if (Object.hasOwn(BUILT_IN, builtIn)) return BUILT_IN[builtIn];
  const full = aliases.get(name) ?? name;
  for (const candidate of [full, ...packages.map((folder) => `${folder}.${full}`)]) {
    const members = Mapping.membersOf(candidate);
    if (members) return { kind: 'object', members };
  }
  return undefined;
}

/** A column and its member. */
interface MappedColumn {
  readonly column: string;
  readonly member: string;
}

/** Maps the rows of one statement. */
export class RowMapper {
  /** The members of the columns of the last rows, by their names. */
  private plan: { readonly columns: readonly string[]; readonly mapped: readonly MappedColumn[] } | undefined;

  constructor(
    private readonly shape: ResultShape,
    private readonly settings: ResultSettings,
  ) {}

  rows(rows: readonly object[]): readonly unknown[] {
    const { shape } = this;
    const [first] = rows;
    if (first === undefined) return rows;
    if (shape.kind === 'scalar') return rows.map((row) => shape.convert(Object.values(row)[0] ?? null));
    const columns = Object.keys(first);
    const mapped = this.mapped(columns);
    const isSame = mapped.length === columns.length && mapped.every(({ column, member }) => column === member);
    if (isSame && this.settings.callSettersOnNulls) return rows;
    return rows.map((row) => this.object(row as Readonly<Record<string, unknown>>, mapped));
  }

  private object(row: Readonly<Record<string, unknown>>, mapped: readonly MappedColumn[]): object {
    const { callSettersOnNulls } = this.settings;
    const members: Record<string, unknown> = {};
    for (const { column, member } of mapped) {
      const value = row[column];
      if (value !== null || callSettersOnNulls) members[member] = value;
    }
    return members;
  }

  private mapped(columns: readonly string[]): readonly MappedColumn[] {
    const known = this.plan?.columns;
    if (known?.length !== columns.length || known.some((name, index) => name !== columns[index])) {
      const mapped = columns.flatMap((column) => {
        const member = this.memberOf(column);
        // An assignment to `__proto__` would not create a member.
        return member === undefined || isInheritedName(member) ? [] : [{ column, member }];
      });
      this.plan = { columns, mapped };
    }
    return this.plan?.mapped ?? [];
  }

  private memberOf(column: string): string | undefined {
    if (this.shape.kind === 'scalar') return column;
    const { members } = this.shape;
    if (members?.has(column)) return column;
    const name = this.settings.mapUnderscoreToCamelCase ? camelCase(column) : column;
    return members === undefined || members.has(name) ? name : undefined;
  }
}

function camelCase(column: string): string {
  return column.toLowerCase().replaceAll(/(?<=[^_])_+([^_])/g, (_, letter: string) => letter.toUpperCase());
}
