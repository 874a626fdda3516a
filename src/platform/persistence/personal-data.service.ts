import { Injectable } from '@nestjs/common';
import type { PersonalTable } from './personal-tables.js';
import { tableOf } from './schema/expected-schema.js';
import { type Tx, UnitOfWork } from './unit-of-work.js';

export type PersonalRow = Readonly<Record<string, unknown>>;

/** Number of rows that are in memory at once. */
const BATCH = 500;

/** Reads what a table stores about a user, whatever the number of rows. */
@Injectable()
export class PersonalData {
  constructor(private readonly work: UnitOfWork) {}

  /** Reads the rows in batches, none of which is empty. */
  async *batches(table: PersonalTable, subject: string): AsyncGenerator<readonly PersonalRow[]> {
    // Unique among the rows of one user.
    const key = tableOf(table.entity).primaryKey.at(-1) ?? '';
    for (let after: unknown = ''; ;) {
      const last = after;
      const batch = await this.work.single((tx) => rowsAfter(tx, table, subject, { key, last }));
      after = batch.at(-1)?.[key];
      if (batch.length > 0) yield batch.map((row) => shownOf(table, row));
      if (batch.length < BATCH) return;
    }
  }
}

async function rowsAfter(
  tx: Tx,
  { entity, owner, shown }: PersonalTable,
  subject: string,
  { key, last }: { readonly key: string; readonly last: unknown },
): Promise<readonly PersonalRow[]> {
  const ofUser =
    typeof owner === 'string'
      ? `own.${owner} = :subject`
      : `own.${owner.column} IN (SELECT ${owner.of} FROM ${owner.from} WHERE ${owner.by} = :subject)`;
  const rows: readonly object[] = await (
    await tx.repository(entity)
  )
    .createQueryBuilder('own')
    .select([...new Set([...shown, key])].map((column) => `own.${column}`))
    .where(`${ofUser} AND own.${key} > :last`, { subject, last })
    .orderBy(`own.${key}`)
    .limit(BATCH)
    .getMany();
  return rows as readonly PersonalRow[];
}

function shownOf({ shown }: PersonalTable, row: PersonalRow): PersonalRow {
  return Object.fromEntries(shown.map((column) => [column, row[column]]));
}
