import { Injectable } from '@nestjs/common';
import { expiringTable } from '../../../platform/persistence/expiring-tables.js';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';
import type { CodesOccasion, CodesOwner } from './shown-codes.js';

/** Nothing is remembered of expired rows. */
expiringTable('shown_backup_codes', 'asked_by', 0);

const DELETE = 'DELETE FROM shown_backup_codes WHERE asked_by = ?';
const DELETE_OTHERS = 'DELETE FROM shown_backup_codes WHERE user_id = ?';
const INSERT = `INSERT INTO shown_backup_codes (asked_by, user_id, set_id, occasion, sealed, created_at, expires_at)
  SELECT ?, id, backup_set_id, ?, ?, ?, ? FROM account WHERE id = ? AND backup_set_id IS NOT NULL`;
const FIND = `SELECT shown.occasion, shown.sealed, shown.created_at FROM shown_backup_codes shown
  JOIN account ON account.id = shown.user_id AND account.backup_set_id = shown.set_id
  WHERE shown.asked_by = ? AND shown.user_id = ? AND shown.expires_at > ?`;

interface Row {
  readonly occasion: CodesOccasion;
  readonly sealed: string;
  readonly created_at: number;
}

/** Sealed codes that a page shows again until they are confirmed. */
@Injectable()
export class ShownCodesStore {
  /** Stores the codes of the active set in place of earlier ones of this session. */
  async keep(
    tx: Tx,
    { subject, requestedBy }: CodesOwner,
    {
      occasion,
      sealed,
      createdAt,
      expiresAt,
    }: { occasion: CodesOccasion; sealed: string; createdAt: number; expiresAt: number },
  ): Promise<void> {
    await tx.change(DELETE, [requestedBy]);
    await tx.change(INSERT, [requestedBy, occasion, sealed, createdAt, expiresAt, subject]);
  }

  /** Undefined if there are none, or if the account has another set by now. */
  async find(tx: Tx, { subject, requestedBy }: CodesOwner, now: number): Promise<Row | undefined> {
    return (await tx.rows<Row>(FIND, [requestedBy, subject, now]))[0];
  }

  async delete(tx: Tx, { requestedBy }: Pick<CodesOwner, 'requestedBy'>): Promise<void> {
    await tx.change(DELETE, [requestedBy]);
  }

  /** Deletes the codes of all sets of the account but these. */
  async keepOnly(tx: Tx, subject: string, setIds: readonly string[]): Promise<void> {
    const others = setIds.length === 0 ? '' : ` AND set_id NOT IN (${setIds.map(() => '?').join(', ')})`;
    await tx.change(DELETE_OTHERS + others, [subject, ...setIds]);
  }
}
