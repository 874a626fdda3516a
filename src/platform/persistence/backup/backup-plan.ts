import { type EntityClass, tableOf } from '../schema/expected-schema.js';
import type { Value } from '../unit-of-work.js';

/** A row by its columns. */
export type Row = Readonly<Record<string, Value>>;

/** Options of a restore that decide which rows of a table come back. */
export interface RestoreFacts {
  /** No TOTP code of this step or an earlier one is accepted after the restore. */
  readonly lastUsedStep: number;
  /** Also restores the unused backup codes, some of which may have been used after the backup. */
  readonly keepsBackupCodes: boolean;
}

/** How a backup and a restore treat a table; decision 0061 has the reasons for each table. */
interface BackupPolicy {
  /** Columns of older versions, which `restored` replaces. */
  readonly formerColumns?: readonly string[];
  /** Rows that a backup leaves out: what is half finished does not live on. */
  readonly where?: string;
  /** `replaced` rows are deleted before the restore; `merged` rows stay, and those that are missing are added. */
  readonly restore: 'replaced' | 'merged';
  /** A column whose values differ in all rows of a backup. */
  readonly unique?: string;
  /** Returns the problem of a row that the service never stores; undefined for a valid row. Columns that the file lacks are undefined. */
  readonly problemOf?: (row: Partial<Row>) => string | undefined;
  /** The row as it is restored; undefined leaves it out. */
  readonly restored?: (row: Row, facts: RestoreFacts) => Row | undefined;
}

/** A table whose rows a backup contains. */
export interface BackupTable extends BackupPolicy {
  readonly entity: EntityClass;
  readonly table: string;
  /** The primary key, in the order of its index. */
  readonly key: readonly string[];
  readonly columns: readonly string[];
}

/** The tables of a backup, and those that a restore changes. */
export interface BackupPlan {
  /** In the order of the file. */
  readonly tables: readonly BackupTable[];
  /** Tables that a restore empties. */
  readonly ended: readonly EntityClass[];
  /** The table whose rows are not deleted without consent, and the sentence that asks for it. */
  readonly guarded: { readonly entity: EntityClass; readonly rejection: string };
}

/** A table of a backup by its entity. */
export function backupTable(entity: EntityClass, policy: BackupPolicy): BackupTable {
  const { name, primaryKey, columns } = tableOf(entity);
  return { entity, table: name, key: primaryKey, columns: columns.map((column) => column.name), ...policy };
}
