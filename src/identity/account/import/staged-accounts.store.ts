import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';
import { STAGED } from '../account.js';

/** An import with its decision: `staging` leads to the deletion of its accounts, `complete` to their activation. */
export interface StoredImport {
  readonly state: 'staging' | 'complete';
  /** No account of the import has a lower id. */
  readonly first_id: string;
}

/** Greater than every id. */
const NO_ID = '~';

const CLAIM = `INSERT INTO account_import (slot, holder, state, first_id, expires_at) VALUES (1, ?, 'staging', '${NO_ID}', ?)`;
/** A time far ahead was written before the clock was set back. */
const TAKE_OVER =
  'UPDATE account_import SET holder = ?, expires_at = ? WHERE slot = 1 AND expires_at NOT BETWEEN ? AND ?';
const READ = 'SELECT state, first_id FROM account_import WHERE slot = 1 AND holder = ?';
/** Two batches may end in one second: the row changes all the same, which locks it at every node of a cluster. */
const NEW_END = 'expires_at = CASE WHEN expires_at = ? THEN expires_at - 1 ELSE ? END';
/** Locks the row: an import that was taken over changes no account any more. */
const HOLD = `UPDATE account_import SET ${NEW_END} WHERE slot = 1 AND holder = ? AND state = ?`;
const EXTEND = `UPDATE account_import SET first_id = CASE WHEN first_id < ? THEN first_id ELSE ? END, ${NEW_END}
  WHERE slot = 1 AND holder = ? AND state = 'staging'`;
const COMPLETE = "UPDATE account_import SET state = 'complete' WHERE slot = 1 AND holder = ? AND state = 'staging'";
const RELEASE = 'DELETE FROM account_import WHERE slot = 1 AND holder = ?';

/** Counts accounts of any status, so that one statement never reads more of them than it may change. */
const LAST = 'SELECT MAX(id) AS last FROM (SELECT id FROM account WHERE id >= ? ORDER BY id LIMIT ?) AS part';
const RANGE = `status = '${STAGED}' AND id BETWEEN ? AND ?`;
const IDS = `SELECT id FROM account WHERE ${RANGE}`;
const ACTIVATE = `UPDATE account SET status = 'active' WHERE ${RANGE}`;
const DELETE = `DELETE FROM account WHERE ${RANGE}`;

/** Table `account_import`: the import in progress. The staged accounts in table `account` are all its own. */
@Injectable()
export class StagedAccountsStore {
  /** False if another import is in progress. */
  claim(tx: Tx, holder: string, expiresAt: number): Promise<boolean> {
    return tx.insert(CLAIM, [holder, expiresAt]);
  }

  /** Takes over the import in progress if its time does not lie between `now` and `latest`. */
  async takeOver(
    tx: Tx,
    holder: string,
    { now, latest, expiresAt }: { readonly now: number; readonly latest: number; readonly expiresAt: number },
  ): Promise<boolean> {
    return (await tx.change(TAKE_OVER, [holder, expiresAt, now, latest])) === 1;
  }

  async find(tx: Tx, holder: string): Promise<StoredImport | undefined> {
    return (await tx.rows<StoredImport>(READ, [holder]))[0];
  }

  /** Keeps the import for the rest of the transaction; false if another process has it. */
  async hold(tx: Tx, holder: string, state: StoredImport['state'], expiresAt: number): Promise<boolean> {
    return (await tx.change(HOLD, [expiresAt, expiresAt, holder, state])) === 1;
  }

  /** As `hold`, for accounts whose ids are not below `firstId`. */
  async extend(tx: Tx, holder: string, firstId: string, expiresAt: number): Promise<boolean> {
    return (await tx.change(EXTEND, [firstId, firstId, expiresAt, expiresAt, holder])) === 1;
  }

  /** Decides that the accounts will be active; false if another process has the import. */
  async complete(tx: Tx, holder: string): Promise<boolean> {
    return (await tx.change(COMPLETE, [holder])) === 1;
  }

  /** Lets the next import begin. */
  async release(tx: Tx, holder: string): Promise<void> {
    await tx.change(RELEASE, [holder]);
  }

  /** The last of at most `limit` ids from `from` on; undefined if there is none. */
  async lastOf(tx: Tx, from: string, limit: number): Promise<string | undefined> {
    const [row] = await tx.rows<{ readonly last: string | null }>(LAST, [from, limit]);
    return row?.last ?? undefined;
  }

  async ids(tx: Tx, from: string, to: string): Promise<readonly string[]> {
    return (await tx.rows<{ readonly id: string }>(IDS, [from, to])).map(({ id }) => id);
  }

  async activate(tx: Tx, from: string, to: string): Promise<void> {
    await tx.change(ACTIVATE, [from, to]);
  }

  async delete(tx: Tx, from: string, to: string): Promise<void> {
    await tx.change(DELETE, [from, to]);
  }
}
