import type { EntityClass } from './schema/expected-schema.js';

/** A table with data about users, for the export of what is stored about one of them. */
export interface PersonalTable {
  readonly entity: EntityClass;
  /** Name of the rows in the export. */
  readonly name: string;
  /** The column that holds the subject, or an id that another table connects with the subject. */
  readonly owner: string | { readonly column: string; readonly from: string; readonly of: string; readonly by: string };
  readonly shown: readonly string[];
  /** Secrets, their hashes, and values of internal use; the export leaves them out. */
  readonly withheld?: readonly string[];
}

const registered = new Map<EntityClass, PersonalTable>();

/** Registers a table whose rows belong to users; called beside its entity. Each column is shown or withheld. */
export function personalTable(entity: EntityClass, options: Omit<PersonalTable, 'entity'>): void {
  registered.set(entity, { entity, ...options });
}

/** Returns the tables with data about users, of every entity that is loaded. */
export function personalTables(): readonly PersonalTable[] {
  return [...registered.values()];
}
