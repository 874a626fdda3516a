import { COLLATION } from './read-schema.js';
import { type Column, columnText, type Index, indexText, type Schema, type Table } from './schema.js';

/** One way in which the tables of a database do not fit this version. */
export interface Difference {
  /** Such as `Missing column`. */
  readonly label: string;
  readonly text: string;
  /** Statements that add what is missing without changing anything else; empty if none can. */
  readonly additions: readonly string[];
}

/** Compares what this version needs with what the database has. `tableEnd` ends a statement that creates a table. */
export function differencesOf(expected: Schema, actual: Schema, tableEnd: string): readonly Difference[] {
  return [...expected.values()].flatMap((table) => {
    const found = actual.get(table.name);
    return found ? differencesOfTable(table, found) : [missingTable(table, tableEnd)];
  });
}

function missingTable(table: Table, tableEnd: string): Difference {
  const { name, columns, primaryKey, indexes } = table;
  const parts = [
    ...columns.map(columnText),
    `PRIMARY KEY (${primaryKey.join(', ')})`,
    ...indexes.filter(({ isUnique }) => isUnique).map((index) => `UNIQUE (${index.columns.join(', ')})`),
  ];
  const others = indexes.filter(({ isUnique }) => !isUnique).map((index) => createIndex(name, index));
  const create = `CREATE TABLE ${name} (${parts.join(', ')})${tableEnd}`;
  return { label: 'Missing table', text: name, additions: [create, ...others] };
}

function differencesOfTable(expected: Table, actual: Table): readonly Difference[] {
  const { name } = expected;
  const found = new Map(actual.columns.map((column) => [column.name, column]));
  const columns = expected.columns.flatMap((column) => {
    const other = found.get(column.name);
    return other ? differencesOfColumn(name, column, other) : [missingColumn(name, column)];
  });
  const present = new Set(actual.indexes.map(indexText));
  // A server keeps an index whose column was dropped, with its other columns.
  const taken = new Set(actual.indexes.map((index) => index.name));
  const indexes = expected.indexes.filter((index) => !present.has(indexText(index)));
  return [
    ...columns,
    ...unknownRequired(expected, actual),
    ...primaryKeyDifference(expected, actual),
    ...indexes.map((index) => ({
      label: 'Missing index',
      text: `${name} ${indexText(index)}`,
      additions: [createIndex(name, index, taken)],
    })),
  ];
}

function missingColumn(table: string, column: Column): Difference {
  // Existing rows would need a value that only a migration can know.
  const canBeAdded = column.isNullable || column.default !== null;
  return {
    label: 'Missing column',
    text: `${table}.${columnText(column)}`,
    additions: canBeAdded ? [`ALTER TABLE ${table} ADD COLUMN ${columnText(column)}`] : [],
  };
}

function differencesOfColumn(table: string, expected: Column, actual: Column): readonly Difference[] {
  const place = `${table}.${expected.name}`;
  const wrong = (what: string, is: string, not: string): Difference => ({
    label: `Wrong ${what}`,
    text: `${place} is ${is}, not ${not}`,
    additions: [],
  });
  const shown = ({ isNullable }: Column): string => (isNullable ? 'NULL' : 'NOT NULL');
  const byDefault = (column: Column): string => column.default ?? 'without default';
  return [
    ...(actual.type === expected.type ? [] : [wrong('type', actual.type, expected.type)]),
    ...(actual.isNullable === expected.isNullable ? [] : [wrong('nullability', shown(actual), shown(expected))]),
    ...(actual.default === expected.default ? [] : [wrong('default', byDefault(actual), byDefault(expected))]),
    ...(actual.otherCollation === undefined ? [] : [wrong('collation', actual.otherCollation, COLLATION)]),
  ];
}

/** Other columns are left alone, unless an insert that does not name them would fail. */
function unknownRequired(expected: Table, actual: Table): readonly Difference[] {
  const known = new Set(expected.columns.map(({ name }) => name));
  return actual.columns
    .filter((column) => !known.has(column.name) && !column.isNullable && column.default === null)
    .map((column) => ({ label: 'Unknown column', text: `${expected.name}.${columnText(column)}`, additions: [] }));
}

function primaryKeyDifference(expected: Table, actual: Table): readonly Difference[] {
  const [needed, found] = [expected, actual].map(({ primaryKey }) => primaryKey.join(', '));
  if (needed === found) return [];
  const text = `${expected.name} has (${found ?? ''}), not (${needed ?? ''})`;
  return [{ label: 'Wrong primary key', text, additions: [] }];
}

function createIndex(
  table: string,
  { name, columns, isUnique }: Index,
  taken: ReadonlySet<string> = new Set(),
): string {
  const ownName = freeName(isUnique ? `${table}_${columns.join('_')}` : name, taken);
  return `CREATE ${isUnique ? 'UNIQUE ' : ''}INDEX ${ownName} ON ${table} (${columns.join(', ')})`;
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  let free = name;
  for (let number = 2; taken.has(free); number += 1) free = `${name}_${number}`;
  return free;
}
