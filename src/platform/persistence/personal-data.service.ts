import { Injectable } from '@nestjs/common';
import { type PersonalTable, selectPersonal } from './personal-tables.js';
import { UnitOfWork, type Value } from './unit-of-work.js';

export type PersonalRow = Readonly<Record<string, Value>>;

/** Rows that are in memory at once. */
const BATCH = 500;

/** Reads what a table stores about a user, whatever the number of rows. */
@Injectable()
export class PersonalData {
  constructor(private readonly work: UnitOfWork) {}

  /** The rows in batches, none of which is empty. */
  async *batches(table: PersonalTable, subject: string): AsyncGenerator<readonly PersonalRow[]> {
    const sql = selectPersonal(table);
    for (let after: Value = ''; ;) {
      const values: readonly Value[] = [subject, after, BATCH];
      const batch = await this.work.single((tx) => tx.rows<PersonalRow & { readonly row_key: string }>(sql, values));
      const rows: PersonalRow[] = [];
      for (const { row_key: key, ...row } of batch) {
        rows.push(row);
        after = key;
      }
      if (rows.length > 0) yield rows;
      if (batch.length < BATCH) return;
    }
  }
}
