import { Injectable } from '@nestjs/common';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';
import type { AuthenticatorType } from '../factor-state.js';
import type { Authenticator } from '../factor-state.js';

const TOTPS = `FROM totp_secret WHERE user_id = ? AND activated_at IS NOT NULL`;
const PASSKEYS = 'FROM passkey WHERE user_id = ?';
const LIST = `SELECT id, 'totp' AS type, name, activated_at AS created_at, last_used_at, NULL AS backup_eligible ${TOTPS}
  UNION ALL SELECT id, 'passkey' AS type, name, created_at, last_used_at, backup_eligible ${PASSKEYS}
  ORDER BY created_at, id`;
const TYPE = `SELECT 'totp' AS type ${TOTPS} AND id = ? UNION ALL SELECT 'passkey' AS type ${PASSKEYS} AND id = ?`;
const RENAME: Readonly<Record<AuthenticatorType, string>> = {
  totp: 'UPDATE totp_secret SET name = ? WHERE user_id = ? AND activated_at IS NOT NULL AND id = ?',
  passkey: 'UPDATE passkey SET name = ? WHERE user_id = ? AND id = ?',
};
const DELETE: Readonly<Record<AuthenticatorType, string>> = {
  totp: `DELETE ${TOTPS} AND id = ?`,
  passkey: `DELETE ${PASSKEYS} AND id = ?`,
};

interface AuthenticatorRow {
  readonly id: string;
  readonly type: AuthenticatorType;
  readonly name: string | null;
  readonly created_at: number;
  readonly last_used_at: number | null;
  readonly backup_eligible: number | null;
}

/** The active authenticators of an account, of every type. */
@Injectable()
export class AuthenticatorListStore {
  /** The oldest first. */
  async list(tx: Tx, subject: string): Promise<readonly Authenticator[]> {
    const rows = await tx.rows<AuthenticatorRow>(LIST, [subject, subject]);
    return rows.map(({ id, type, name, created_at, last_used_at, backup_eligible }) => ({
      ...{ id, type, createdAt: created_at },
      ...withoutUndefined({
        name: name ?? undefined,
        lastUsedAt: last_used_at ?? undefined,
        isSynced: backup_eligible === null ? undefined : backup_eligible === 1,
      }),
    }));
  }

  async typeOf(tx: Tx, subject: string, id: string): Promise<AuthenticatorType | undefined> {
    const [row] = await tx.rows<{ readonly type: AuthenticatorType }>(TYPE, [subject, id, subject, id]);
    return row?.type;
  }

  /** False if the subject has no such authenticator. */
  async rename(tx: Tx, subject: string, id: string, name: string): Promise<boolean> {
    for (const sql of Object.values(RENAME)) if ((await tx.change(sql, [name, subject, id])) === 1) return true;
    return false;
  }

  /** False if the subject has no such authenticator. */
  async delete(tx: Tx, subject: string, type: AuthenticatorType, id: string): Promise<boolean> {
    return (await tx.change(DELETE[type], [subject, id])) === 1;
  }
}
