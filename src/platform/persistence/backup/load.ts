import type { Tx, Value } from '../unit-of-work.js';
import { BackupCheck } from './backup-check.js';
import { type BackupHeader, BackupRejection, damaged } from './backup-format.js';
import { readBackup } from './backup-reader.js';
import type { BackupPlan, BackupTable, RestoreFacts, Row } from './backup-plan.js';
import { knownMigrations } from '../migrations/history.js';
import { type EntityClass, tableOf } from '../schema/expected-schema.js';

/** Number of rows that one statement inserts. */
const BATCH = 100;
/** Number of rows that one statement deletes. */
const DELETED = 1000;

/** Header and row counts of a complete backup. */
export interface BackupFacts {
  readonly header: BackupHeader;
  /** Restored rows by table; those that were there already are not counted. */
  readonly rows: ReadonlyMap<string, number>;
}

/**
 * Reads the whole file, and calls `see` for each row.
 * @throws BackupRejection if it is damaged, incomplete, newer than this version or no backup, or has rows that no backup has
 */
export async function inspectBackup(
  file: string,
  plan: BackupPlan,
  see: (table: string, row: Row) => Promise<void> | void,
): Promise<BackupHeader> {
  let header: BackupHeader | undefined;
  const check = new BackupCheck();
  for await (const part of readBackup(file, plan, knownMigrations())) {
    if (part.kind === 'header') ({ header } = part);
    if (part.kind !== 'row') continue;
    check.see(part.of, part.row, part.line);
    await see(part.of.table, part.row);
  }
  check.end();
  if (!header) throw new TypeError('a backup without a header was read to its end');
  return header;
}

/**
 * Reads the guarded table only, since an older version may lack others.
 * @throws BackupRejection if the table has rows
 */
export async function rejectGuarded(
  { guarded: { entity, rejection } }: BackupPlan,
  rows: <R>(sql: string) => Promise<readonly R[]>,
): Promise<void> {
  const found = await rows(`SELECT 1 AS found FROM ${tableOf(entity).name} LIMIT 1`);
  if (found.length > 0) throw new BackupRejection(rejection);
}

/** Replaces the content of the database by a backup, in the transaction of the caller: all of it, or nothing. */
export async function loadBackup(tx: Tx, file: string, plan: BackupPlan, facts: RestoreFacts): Promise<BackupFacts> {
  for (const entity of plan.ended) await deleteAll(tx, entity);
  for (const { entity, restore } of plan.tables) if (restore === 'replaced') await deleteAll(tx, entity);
  const rows = new Map<string, number>();
  let batch: { of: BackupTable; rows: Row[] } | undefined;
  const store = async (): Promise<void> => {
    if (batch) rows.set(batch.of.table, (rows.get(batch.of.table) ?? 0) + (await insert(tx, batch.of, batch.rows)));
    batch = undefined;
  };
  let header: BackupHeader | undefined;
  for await (const part of readBackup(file, plan, knownMigrations())) {
    if (part.kind === 'header') ({ header } = part);
    if (part.kind !== 'row') continue;
    const restored = part.of.restored ? part.of.restored(part.row, facts) : part.row;
    if (!restored) continue;
    if (batch && (batch.of !== part.of || batch.rows.length >= BATCH)) await store();
    batch ??= { of: part.of, rows: [] };
    batch.rows.push(restored);
  }
  await store();
  if (!header) throw new TypeError('a backup without a header was read to its end');
  return { header, rows };
}

/** Deletes all rows in steps along the key, since one statement for a large table would reach the time limit of statements. */
async function deleteAll(tx: Tx, entity: EntityClass): Promise<void> {
  const {
    name: table,
    primaryKey: [first = ''],
  } = tableOf(entity);
  const nth = `SELECT ${first} AS name FROM ${table} WHERE ${first} > ? ORDER BY ${first} LIMIT 1 OFFSET ${DELETED}`;
  for (let after = ''; ;) {
    const [row] = await tx.rows<{ readonly name: string }>(nth, [after]);
    if (!row) break;
    await tx.change(`DELETE FROM ${table} WHERE ${first} > ? AND ${first} <= ?`, [after, row.name]);
    after = row.name;
  }
  await tx.change(`DELETE FROM ${table}`);
}

/** Inserts rows and returns their number; columns that the backup does not have keep their default. */
async function insert(tx: Tx, of: BackupTable, batch: readonly Row[]): Promise<number> {
  const missing = of.restore === 'merged' ? await withoutStored(tx, of, batch) : batch;
  const columns = of.columns.filter((column) => missing[0] && column in missing[0]);
  if (missing.length === 0) return 0;
  const marks = `(${columns.map(() => '?').join(', ')})`;
  const sql = `INSERT INTO ${of.table} (${columns.join(', ')}) VALUES ${missing.map(() => marks).join(', ')}`;
  const values = missing.flatMap((row) => columns.map((column): Value => row[column] ?? null));
  if (!(await tx.insert(sql, values))) throw damaged(`rows of ${of.table} repeat a value that only one row may have`);
  return missing.length;
}

async function withoutStored(
  tx: Tx,
  { table, key: [id = ''] }: BackupTable,
  batch: readonly Row[],
): Promise<readonly Row[]> {
  const marks = batch.map(() => '?').join(', ');
  const sql = `SELECT ${id} AS name FROM ${table} WHERE ${id} IN (${marks})`;
  const stored = await tx.rows<{ readonly name: string }>(
    sql,
    batch.map((row) => row[id] ?? null),
  );
  const names = new Set<unknown>(stored.map(({ name }) => name));
  return batch.filter((row) => !names.has(row[id]));
}
