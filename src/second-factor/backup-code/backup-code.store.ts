import { Injectable } from '@nestjs/common';
import { batchesOf } from '../../persistence/batches.js';
import { OrmPropertiesProperties } from '../../persistence/jpa.properties.js';
import type { Tx } from '../../persistence/unit-of-work.js';

const INSERT = 'INSERT INTO backup_code (user_id, set_id, hash) VALUES ';
const CONSUME = 'DELETE FROM backup_code WHERE user_id = ? AND set_id = ? AND hash';
const COUNT = 'SELECT COUNT(*) AS number FROM backup_code WHERE user_id = ? AND set_id = ?';
const DISCARD = 'DELETE FROM backup_code WHERE user_id = ?';

/** The hashed codes, one row each; using a code deletes its row. */
@Injectable()
export class BackupCodeStore {
  constructor(private readonly settings: OrmPropertiesProperties = new OrmPropertiesProperties()) {}

  async insert(tx: Tx, subject: string, setId: string, hashes: readonly string[]): Promise<void> {
    for (const batch of batchesOf(hashes, this.settings.jdbcBatchSize)) {
      const rows = batch.map(() => '(?, ?, ?)').join(', ');
      await tx.change(
        INSERT + rows,
        batch.flatMap((hash) => [subject, setId, hash]),
      );
    }
  }

  /** Deletes the code; false if it is not in the set, or no longer. */
  async consume(tx: Tx, subject: string, setId: string, hashes: readonly string[]): Promise<boolean> {
    return (await tx.change(`${CONSUME} IN (${marks(hashes)})`, [subject, setId, ...hashes])) === 1;
  }

  async count(tx: Tx, subject: string, setId: string): Promise<number> {
    const [row] = await tx.rows<{ readonly number: number }>(COUNT, [subject, setId]);
    return row?.number ?? 0;
  }

  /** Deletes the codes of all other sets. */
  async keepOnly(tx: Tx, subject: string, setIds: readonly string[]): Promise<void> {
    const others = setIds.length === 0 ? '' : ` AND set_id NOT IN (${marks(setIds)})`;
    await tx.change(DISCARD + others, [subject, ...setIds]);
  }
}

function marks(values: readonly string[]): string {
  return values.map(() => '?').join(', ');
}
