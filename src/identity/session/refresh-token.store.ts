import { Injectable } from '@nestjs/common';
import { expiringTable } from '../../platform/persistence/expiring-tables.js';
import type { Tx } from '../../platform/persistence/unit-of-work.js';
import { amrText } from '../../kernel/principal/amr.js';
import type { RefreshRecord } from './refresh.js';
import { hashSecret, type RefreshToken, type Session } from './session.js';
import { RefreshTokenEntity } from './refresh-token.entity.js';

expiringTable('refresh_token', 'token_hash');

const INSERT = `INSERT INTO refresh_token
  (token_hash, session_id, user_id, generation, amr, auth_time, mfa_at, mfa_method, issued_at, expires_at,
  names_session) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1)`;
const FIND = `SELECT token_hash, session_id, user_id, generation, expires_at, rotated_at, replaced_by, sealed_successor, superseded_at
  FROM refresh_token WHERE token_hash = ?`;
const LAST_GENERATION = 'SELECT MAX(generation) AS generation FROM refresh_token WHERE session_id = ?';
const ISSUED_SINCE = `SELECT issued_at FROM refresh_token WHERE session_id = ? AND generation >= ?
  ORDER BY generation LIMIT 1`;
/**
 * The use of a token without a row ends the session that the token names. A token of an earlier version names none, and a superseded
 * one must not end its session: their rows stay.
 */
const FORGET_OLDEST = `DELETE FROM refresh_token
  WHERE session_id = ? AND generation <= ? AND names_session = 1 AND superseded_at IS NULL`;
const ROTATE = `UPDATE refresh_token SET rotated_at = ?, replaced_by = ?, sealed_successor = ?
  WHERE token_hash = ? AND rotated_at IS NULL AND superseded_at IS NULL AND expires_at > ?`;
const SUPERSEDE = `UPDATE refresh_token SET superseded_at = ?
  WHERE session_id = ? AND rotated_at IS NULL AND superseded_at IS NULL`;
const END_OF_SESSION = 'DELETE FROM refresh_token WHERE session_id = ?';
const END_OF_USER = `DELETE FROM refresh_token WHERE user_id = ? AND session_id <> ?
  AND session_id NOT IN (SELECT id FROM session WHERE parent_id = ?)`;
const FORGET = 'UPDATE refresh_token SET sealed_successor = NULL WHERE rotated_at < ? AND token_hash IN';

type Row = Pick<
  RefreshTokenEntity,
  | ('token_hash' | 'session_id' | 'user_id' | 'generation' | 'expires_at')
  | ('rotated_at' | 'replaced_by' | 'sealed_successor' | 'superseded_at')
>;

/** Table `refresh_token`: all tokens of a session, used ones included, are a family. */
@Injectable()
export class RefreshTokenStore {
  /** Stores the hash of a token with the facts of its session. */
  async insert(
    tx: Tx,
    session: Session,
    generation: number,
    { value, expiresAt }: RefreshToken,
    now: number,
  ): Promise<void> {
    const { id, subject, amr, authTime, mfaAt, mfaMethod } = session;
    const facts = [amrText(amr), authTime ?? null, mfaAt ?? null, mfaMethod ?? null];
    await tx.change(INSERT, [hashSecret(value), id, subject, generation, ...facts, now, expiresAt]);
  }

  async find(tx: Tx, hash: string): Promise<RefreshRecord | undefined> {
    const [row] = await tx.rows<Row>(FIND, [hash]);
    return row && recordOf(row);
  }

  /** 0 if the session has no refresh token. */
  async lastGeneration(tx: Tx, sid: string): Promise<number> {
    const [row] = await tx.rows<{ readonly generation: number | null }>(LAST_GENERATION, [sid]);
    return row?.generation ?? 0;
  }

  /** When the oldest stored token of this generation or a later one was issued, in epoch seconds; undefined if there is none. */
  async issuedSince(tx: Tx, sid: string, generation: number): Promise<number | undefined> {
    const [row] = await tx.rows<{ readonly issued_at: number }>(ISSUED_SINCE, [sid, generation]);
    return row?.issued_at;
  }

  /** Deletes the used tokens of a session up to a generation, as far as their values name it. */
  async forgetOldest(tx: Tx, sid: string, generation: number): Promise<void> {
    await tx.change(FORGET_OLDEST, [sid, generation]);
  }

  /** True for the one caller that rotates the token; a concurrent caller waits for the first transaction to end. */
  async rotate(tx: Tx, hash: string, now: number, successorHash: string, sealed: string | null): Promise<boolean> {
    return (await tx.change(ROTATE, [now, successorHash, sealed, hash, now])) === 1;
  }

  async supersede(tx: Tx, sid: string, now: number): Promise<void> {
    await tx.change(SUPERSEDE, [now, sid]);
  }

  async deleteBySession(tx: Tx, sid: string): Promise<void> {
    await tx.change(END_OF_SESSION, [sid]);
  }

  /** All of an account but those of one session and of the applications of one. */
  async deleteByUser(
    tx: Tx,
    subject: string,
    except: { readonly sid: string; readonly parentId: string },
  ): Promise<void> {
    await tx.change(END_OF_USER, [subject, except.sid, except.parentId]);
  }

  /** Clears the sealed successors of those of these tokens that were used before an instant. */
  async clearSuccessors(tx: Tx, hashes: readonly string[], before: number): Promise<void> {
    await tx.change(`${FORGET} (${hashes.map(() => '?').join(', ')})`, [before, ...hashes]);
  }
}

function recordOf(row: Row): RefreshRecord {
  return {
    hash: row.token_hash,
    sid: row.session_id,
    subject: row.user_id,
    generation: row.generation,
    expiresAt: row.expires_at,
    ...(row.rotated_at !== null && { rotatedAt: row.rotated_at }),
    ...(row.replaced_by !== null && { replacedBy: row.replaced_by }),
    ...(row.sealed_successor !== null && { sealedSuccessor: row.sealed_successor }),
    ...(row.superseded_at !== null && { supersededAt: row.superseded_at }),
  };
}
