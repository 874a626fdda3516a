import { Injectable } from '@nestjs/common';
import type { Tx } from '../../persistence/unit-of-work.js';
import type { KeyPurpose, ScheduledKey } from './key-schedule.js';

/** A key as it is stored: what it is for and when is plain, the key itself is sealed. */
export interface StoredKey extends ScheduledKey {
  readonly algorithm: string;
  readonly sealed: string;
  readonly sealKey: string;
}

const COLUMNS = 'id, purpose, generation, algorithm, sealed, seal_key, created_at, signs_from, retired_at';
const ALL = `SELECT ${COLUMNS} FROM signing_key ORDER BY purpose, generation`;
const INSERT = `INSERT INTO signing_key
  (id, purpose, generation, algorithm, sealed, seal_key, created_at, signs_from)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
const SIGN_NOW = 'UPDATE signing_key SET signs_from = ? WHERE id = ? AND signs_from > ? AND retired_at IS NULL';
const RETIRE = 'UPDATE signing_key SET retired_at = ? WHERE id = ? AND retired_at IS NULL';
const DELETE = 'DELETE FROM signing_key WHERE id = ?';
const RESEAL = 'UPDATE signing_key SET sealed = ?, seal_key = ? WHERE id = ? AND sealed = ?';

interface Row {
  readonly id: string;
  readonly purpose: KeyPurpose;
  readonly generation: number;
  readonly algorithm: string;
  readonly sealed: string;
  readonly seal_key: string;
  readonly created_at: number;
  readonly signs_from: number;
  readonly retired_at: number | null;
}

/** Table `signing_key`. */
@Injectable()
export class SigningKeyStore {
  async all(tx: Tx): Promise<readonly StoredKey[]> {
    return (await tx.rows<Row>(ALL)).map((row) => ({
      kid: row.id,
      purpose: row.purpose,
      generation: row.generation,
      algorithm: row.algorithm,
      sealed: row.sealed,
      sealKey: row.seal_key,
      createdAt: row.created_at,
      signsFrom: row.signs_from,
      ...(row.retired_at !== null && { retiredAt: row.retired_at }),
    }));
  }

  /** False where another process has made that generation. */
  insert(tx: Tx, key: StoredKey): Promise<boolean> {
    const { kid, purpose, generation, algorithm, sealed, sealKey, createdAt, signsFrom } = key;
    return tx.insert(INSERT, [kid, purpose, generation, algorithm, sealed, sealKey, createdAt, signsFrom]);
  }

  /** Moves the first signature of the next key to now. */
  async signNow(tx: Tx, kid: string, now: number): Promise<boolean> {
    return (await tx.change(SIGN_NOW, [now, kid, now])) === 1;
  }

  async retire(tx: Tx, kid: string, now: number): Promise<boolean> {
    return (await tx.change(RETIRE, [now, kid])) === 1;
  }

  async delete(tx: Tx, kid: string): Promise<boolean> {
    return (await tx.change(DELETE, [kid])) === 1;
  }

  /** False where the key went, or was sealed anew by somebody else. */
  async reseal(tx: Tx, { kid, sealed: before }: StoredKey, sealed: string, sealKey: string): Promise<boolean> {
    return (await tx.change(RESEAL, [sealed, sealKey, kid, before])) === 1;
  }
}
