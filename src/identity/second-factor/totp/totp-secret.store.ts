import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';
import type { EnrolmentChange } from '../attempts/attempt.js';

const INSERT = `INSERT INTO totp_secret
  (id, user_id, sealed, seal_key, asked_by, asked_for, name, created_at, expires_at, activated_at, svg_taken, png_taken)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, 0, 0)`;
const DISCARD = 'DELETE FROM totp_secret WHERE user_id = ? AND id <> ?';
const PENDING_ONLY = ' AND activated_at IS NULL';
const RECORD_USE = 'UPDATE totp_secret SET last_used_at = ? WHERE id = ?';
const PENDING_OF_ASKER = `id = (SELECT pending_totp_id FROM account WHERE account.id = ? AND status = 'active')
  AND asked_by = ? AND expires_at > ?`;
const TAKE = {
  svg: `UPDATE totp_secret SET svg_taken = 1 WHERE svg_taken = 0 AND ${PENDING_OF_ASKER}`,
  png: `UPDATE totp_secret SET png_taken = 1 WHERE png_taken = 0 AND ${PENDING_OF_ASKER}`,
};
const PENDING = `SELECT sealed FROM totp_secret WHERE ${PENDING_OF_ASKER}`;
const UNDER_OTHER_KEYS = `SELECT id, user_id, sealed FROM totp_secret
  WHERE seal_key <> ? AND id > ? ORDER BY id LIMIT ?`;
const BY_KEY = 'SELECT seal_key, COUNT(*) AS number FROM totp_secret GROUP BY seal_key';
const RESEAL = 'UPDATE totp_secret SET sealed = ?, seal_key = ? WHERE id = ? AND sealed = ?';

/** The formats of the QR code of a pending secret; each can be fetched once. */
export type PictureForm = keyof typeof TAKE;

/** A secret as it is stored. */
export interface SecretRow {
  readonly id: string;
  readonly user_id: string;
  readonly sealed: string;
}

/** The secrets that an account still has. */
export interface KeptSecrets {
  readonly keepsActive: boolean;
  readonly pendingId: string | null;
}

/** An id that no secret has. */
const NO_ID = '';

export interface NewSecret {
  readonly id: string;
  readonly subject: string;
  readonly sealed: string;
  readonly sealKey: string;
  readonly requestedBy: string;
  readonly change: EnrolmentChange;
  readonly name: string | undefined;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** Sealed TOTP secrets; the row of the account names the pending one and counts the active ones. */
@Injectable()
export class TotpSecretStore {
  async insert(tx: Tx, secret: NewSecret): Promise<void> {
    const { id, subject, sealed, sealKey, requestedBy, change, name = null, createdAt, expiresAt } = secret;
    await tx.change(INSERT, [id, subject, sealed, sealKey, requestedBy, change, name, createdAt, expiresAt]);
  }

  /** Deletes every other pending secret of the account, and unless they are kept, the active ones. */
  async discard(tx: Tx, subject: string, { keepsActive, pendingId }: KeptSecrets): Promise<void> {
    await tx.change(keepsActive ? DISCARD + PENDING_ONLY : DISCARD, [subject, pendingId ?? NO_ID]);
  }

  /** False if the secret is gone. */
  async recordUse(tx: Tx, id: string, now: number): Promise<boolean> {
    return (await tx.change(RECORD_USE, [now, id])) === 1;
  }

  /** Returns the caller's pending secret, unless its QR code was fetched in this format before. */
  async takePicture(
    tx: Tx,
    form: PictureForm,
    subject: string,
    requestedBy: string,
    now: number,
  ): Promise<string | undefined> {
    if ((await tx.change(TAKE[form], [subject, requestedBy, now])) !== 1) return undefined;
    const [row] = await tx.rows<{ readonly sealed: string }>(PENDING, [subject, requestedBy, now]);
    return row?.sealed;
  }

  /** Secrets that are not sealed under this key, in the order of their ids. */
  underOtherKeys(tx: Tx, sealKey: string, after: string, limit: number): Promise<readonly SecretRow[]> {
    return tx.rows<SecretRow>(UNDER_OTHER_KEYS, [sealKey, after, limit]);
  }

  async countByKey(tx: Tx): Promise<ReadonlyMap<string, number>> {
    const rows = await tx.rows<{ readonly seal_key: string; readonly number: number }>(BY_KEY);
    return new Map(rows.map(({ seal_key, number }) => [seal_key, number]));
  }

  /** False if the secret has been replaced or re-sealed in the meantime. */
  async reseal(tx: Tx, id: string, before: string, sealed: string, sealKey: string): Promise<boolean> {
    return (await tx.change(RESEAL, [sealed, sealKey, id, before])) === 1;
  }
}
