import type { AuthenticatorTransport } from '@simplewebauthn/server';
import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';
import { credentialHash, type NewPasskey } from './passkey.js';

const INSERT = `INSERT INTO passkey
  (id, user_id, credential_hash, credential_id, public_key, algorithm, sign_count, backup_eligible, backed_up, aaguid,
  transports, name, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const SELECT = 'SELECT id, user_id, credential_id, public_key, sign_count, backup_eligible, transports FROM passkey';
const BY_USER = `${SELECT} WHERE user_id = ? ORDER BY id`;
const BY_CREDENTIAL = `${SELECT} WHERE credential_hash = ?`;
const RECORD_USE = 'UPDATE passkey SET sign_count = ?, backed_up = ?, last_used_at = ? WHERE id = ?';
/** A counter of zero is that of an authenticator without one (WebAuthn level 3, section 6.1.1). */
const RISES = ' AND (sign_count < ? OR (sign_count = 0 AND ? = 0))';
const RECORD_FALLEN = 'UPDATE passkey SET last_used_at = ? WHERE id = ? AND sign_count >= ?';
const DELETE_ALL = 'DELETE FROM passkey WHERE user_id = ?';

/** What an assertion is verified with; binary members are Base64url. */
export interface StoredPasskey {
  readonly id: string;
  readonly subject: string;
  readonly credentialId: string;
  readonly publicKey: string;
  readonly signCount: number;
  readonly isBackupEligible: boolean;
  readonly transports: readonly AuthenticatorTransport[];
}

interface PasskeyRow {
  readonly id: string;
  readonly user_id: string;
  readonly credential_id: string;
  readonly public_key: string;
  readonly sign_count: number;
  readonly backup_eligible: number;
  readonly transports: string;
}

/** The passkeys of all accounts; the row of an account has their number. */
@Injectable()
export class PasskeyStore {
  /** False if the credential is registered, for this account or another one. */
  insert(tx: Tx, passkey: NewPasskey): Promise<boolean> {
    const { id, subject, credentialId, publicKey, algorithm, signCount, aaguid, transports, name, createdAt } = passkey;
    return tx.insert(INSERT, [
      ...[id, subject, credentialHash(credentialId), credentialId, publicKey, algorithm, signCount],
      ...[passkey.isBackupEligible ? 1 : 0, passkey.isBackedUp ? 1 : 0, aaguid, transports.join(' '), name ?? null],
      createdAt,
    ]);
  }

  async of(tx: Tx, subject: string): Promise<readonly StoredPasskey[]> {
    return (await tx.rows<PasskeyRow>(BY_USER, [subject])).map(passkeyOf);
  }

  /** The passkey with that credential id, of any account. */
  async find(tx: Tx, credentialId: string): Promise<StoredPasskey | undefined> {
    const [row] = await tx.rows<PasskeyRow>(BY_CREDENTIAL, [credentialHash(credentialId)]);
    return row?.credential_id === credentialId ? passkeyOf(row) : undefined;
  }

  /** Moves the signature counter and the last use forward; false if the counter does not rise, or the passkey is gone. */
  async recordUse(
    tx: Tx,
    id: string,
    { signCount, isBackedUp, now }: { readonly signCount: number; readonly isBackedUp: boolean; readonly now: number },
  ): Promise<boolean> {
    const values = [signCount, isBackedUp ? 1 : 0, now, id, signCount, signCount];
    return (await tx.change(RECORD_USE + RISES, values)) === 1;
  }

  /** Records the use of a passkey whose counter did not rise, and keeps the higher counter; false if the passkey is gone. */
  async recordFallen(
    tx: Tx,
    id: string,
    { signCount, now }: { readonly signCount: number; readonly now: number },
  ): Promise<boolean> {
    return (await tx.change(RECORD_FALLEN, [now, id, signCount])) === 1;
  }

  async deleteAll(tx: Tx, subject: string): Promise<void> {
    await tx.change(DELETE_ALL, [subject]);
  }
}

function passkeyOf(row: PasskeyRow): StoredPasskey {
  return {
    id: row.id,
    subject: row.user_id,
    credentialId: row.credential_id,
    publicKey: row.public_key,
    signCount: row.sign_count,
    isBackupEligible: row.backup_eligible === 1,
    transports: row.transports === '' ? [] : (row.transports.split(' ') as AuthenticatorTransport[]),
  };
}
