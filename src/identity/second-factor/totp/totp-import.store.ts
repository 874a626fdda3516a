import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';

/** A secret that is active from the start; instants are epoch seconds. */
export interface ImportedSecret {
  readonly id: string;
  readonly subject: string;
  readonly sealed: string;
  readonly sealKey: string;
  readonly activatedAt: number;
}

const INSERT =
  'INSERT INTO totp_secret (id, user_id, sealed, seal_key, created_at, activated_at, svg_taken, png_taken) VALUES ';
const ROW = '(?, ?, ?, ?, ?, ?, 1, 1)';
/** The accounts were created in the same transaction, so each has exactly this secret. */
const ACTIVATE = 'UPDATE account SET totp_count = 1 WHERE id IN ';
const DELETE = 'DELETE FROM totp_secret WHERE user_id IN ';

/** Stores the secrets of imported accounts, many at a time. */
@Injectable()
export class TotpImportStore {
  async insert(tx: Tx, secrets: readonly ImportedSecret[]): Promise<void> {
    const rows = secrets.map(() => ROW).join(', ');
    const values = secrets.flatMap(({ id, subject, sealed, sealKey, activatedAt }) => [
      id,
      subject,
      sealed,
      sealKey,
      activatedAt,
      activatedAt,
    ]);
    await tx.change(INSERT + rows, values);
    const subjects = secrets.map(({ subject }) => subject);
    await tx.change(`${ACTIVATE}(${subjects.map(() => '?').join(', ')})`, subjects);
  }

  async deleteOf(tx: Tx, subjects: readonly string[]): Promise<void> {
    await tx.change(`${DELETE}(${subjects.map(() => '?').join(', ')})`, subjects);
  }
}
