/** A table with data about users, for the export of what is stored about one of them. */
export interface PersonalTable {
  readonly table: string;
  /** Name of the rows in the export. */
  readonly name: string;
  /** A column that orders the rows of one user and is unique among them; it may be a withheld one. */
  readonly key: string;
  /** The column that holds the subject, or an id that another table connects with the subject. */
  readonly owner: string | { readonly column: string; readonly from: string; readonly of: string; readonly by: string };
  readonly shown: readonly string[];
  /** Secrets, their hashes, and values of internal use; the export leaves them out. */
  readonly withheld?: readonly string[];
}

const registered = new Map<string, PersonalTable>();

/** Registers a table whose rows belong to users; called beside the store that owns it. Each column is shown or withheld. */
export function personalTable(table: string, options: Omit<PersonalTable, 'table'>): void {
  registered.set(table, { table, ...options });
}

/** The tables with data about users, of every store that is loaded. */
export function personalTables(): readonly PersonalTable[] {
  return [...registered.values()];
}

/** Reads rows of one user after a key; parameters are the subject, the key and the maximum number of rows. */
export function selectPersonal({ table, key, owner, shown }: PersonalTable): string {
  const ofUser =
    typeof owner === 'string'
      ? `${owner} = ?`
      : `${owner.column} IN (SELECT ${owner.of} FROM ${owner.from} WHERE ${owner.by} = ?)`;
  return `SELECT ${shown.join(', ')}, ${key} AS row_key FROM ${table} WHERE ${ofUser} AND ${key} > ? ORDER BY ${key} LIMIT ?`;
}
