/** A column as every engine describes it. */
export interface Column {
  readonly name: string;
  /** In lower case, such as `varchar(36)`, without the display width of integers. */
  readonly type: string;
  readonly isNullable: boolean;
  /** The text of the default without quotes; null if there is none. */
  readonly default: string | null;
  /** Undefined if the column has the collation that every text column must have. */
  readonly otherCollation?: string;
}

export interface Index {
  readonly name: string;
  readonly columns: readonly string[];
  readonly isUnique: boolean;
}

export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly primaryKey: readonly string[];
  /** Without the primary key. */
  readonly indexes: readonly Index[];
}

/** Tables by name. */
export type Schema = ReadonlyMap<string, Table>;

/** The columns and the kind of an index; engines name the index of a unique constraint differently. */
export function indexText({ columns, isUnique }: Pick<Index, 'columns' | 'isUnique'>): string {
  return `${isUnique ? 'unique ' : ''}(${columns.join(', ')})`;
}

export function columnText({ name, type, isNullable, default: byDefault }: Column): string {
  return `${name} ${type} ${isNullable ? 'NULL' : 'NOT NULL'}${byDefault === null ? '' : ` DEFAULT ${literal(byDefault)}`}`;
}

function literal(value: string): string {
  return /^-?\d+$/.test(value) ? value : `'${value.replaceAll("'", "''")}'`;
}
