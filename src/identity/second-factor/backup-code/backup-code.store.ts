import { Injectable } from '@nestjs/common';
import { batchesOf } from '../../../platform/persistence/batch-size.js';
import { OrmPropertiesProperties } from '../../../platform/persistence/jpa.properties.js';
import type { Tx, Value } from '../../../platform/persistence/unit-of-work.js';
import { KEYED_TAG, type StoredCode } from './backup-code.js';

const INSERT = 'INSERT INTO backup_code (user_id, set_id, hash, pepper) VALUES ';
const CONSUME = 'DELETE FROM backup_code WHERE user_id = ? AND set_id = ? AND';
const COUNT = 'SELECT COUNT(*) AS number FROM backup_code WHERE user_id = ? AND set_id = ?';
const SLICE = `SELECT user_id, pepper, CASE WHEN hash LIKE '${KEYED_TAG}%' THEN 1 ELSE 0 END AS keyed FROM backup_code
  WHERE user_id > ? ORDER BY user_id LIMIT ?`;
const DISCARD = 'DELETE FROM backup_code WHERE user_id = ?';

/** Which pepper a code has. */
export interface PepperedRow {
  readonly user_id: string;
  readonly pepper: string | null;
  /** 1 if the hash has a pepper. */
  readonly keyed: number;
}

/** The hashed codes, one row each; using a code deletes its row. */
@Injectable()
export class BackupCodeStore {
  constructor(private readonly settings: OrmPropertiesProperties = new OrmPropertiesProperties()) {}

  async insert(tx: Tx, subject: string, setId: string, codes: readonly StoredCode[]): Promise<void> {
    for (const batch of batchesOf(codes, this.settings.jdbcBatchSize)) {
      const rows = batch.map(() => '(?, ?, ?, ?)').join(', ');
      await tx.change(
        INSERT + rows,
        batch.flatMap(({ hash, pepper }) => [subject, setId, hash, pepper]),
      );
    }
  }

  /** Deletes the code, which is stored in one of these forms; false if it is not in the set, or no longer. */
  async consume(tx: Tx, subject: string, setId: string, forms: readonly StoredCode[]): Promise<boolean> {
    const conditions = forms.map(({ pepper }) =>
      pepper === null ? '(hash = ? AND pepper IS NULL)' : '(hash = ? AND pepper = ?)',
    );
    const values = forms.flatMap(({ hash, pepper }): Value[] => (pepper === null ? [hash] : [hash, pepper]));
    return (await tx.change(`${CONSUME} (${conditions.join(' OR ')})`, [subject, setId, ...values])) === 1;
  }

  async count(tx: Tx, subject: string, setId: string): Promise<number> {
    const [row] = await tx.rows<{ readonly number: number }>(COUNT, [subject, setId]);
    return row?.number ?? 0;
  }

  /** At most `limit` codes of the accounts after one, in the order of accounts. */
  slice(tx: Tx, after: string, limit: number): Promise<readonly PepperedRow[]> {
    return tx.rows<PepperedRow>(SLICE, [after, limit]);
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
