import { Injectable } from '@nestjs/common';
import type { Tx, Value } from '../persistence/unit-of-work.js';
import type { Account, AccountKind, AccountStatus } from './account.js';
import { NEW_HASH } from './password/password-kind.store.js';
import { ROLE_ADMIN, rolesOf, rolesText } from './role-names.js';

/** An account with the text its password is verified against. */
export interface StoredAccount extends Omit<Account, 'hasPassword'> {
  readonly passwordHash?: string;
}

/** What is written when an account is made. */
export interface NewAccount {
  readonly id: string;
  readonly loginId: string;
  readonly kind: AccountKind;
  readonly passwordHash?: string | undefined;
  readonly roles: readonly string[];
  readonly email?: string | undefined;
  readonly mfaRequired: boolean;
  /** Epoch seconds. */
  readonly createdAt: number;
}

/** What an administrator may change besides status and password; undefined members stay. */
export interface AccountChange {
  readonly roles?: readonly string[];
  /** Null takes the address away. */
  readonly email?: string | null;
  readonly mfaRequired?: boolean;
}

/** Which accounts of a list are read; undefined members do not filter. */
export interface AccountFilter {
  /** A part of the login id, in its normalised form. */
  readonly query?: string | undefined;
  readonly role?: string | undefined;
  readonly status?: AccountStatus | undefined;
  /** The last login id of the page before. */
  readonly after?: string | undefined;
  readonly limit: number;
}

interface AccountRow {
  readonly id: string;
  readonly login_id: string;
  readonly kind: AccountKind;
  readonly status: AccountStatus;
  readonly password_hash: string | null;
  readonly roles: string;
  readonly email: string | null;
  readonly mfa_required: number;
  readonly enrolment_forced: number;
  readonly security_stamp: number;
  readonly totp_id: string | null;
  readonly password_ends_at: number | null;
}

const READ =
  'id, login_id, kind, status, password_hash, roles, email, mfa_required, enrolment_forced, security_stamp, totp_id, ' +
  'password_ends_at';
const BY_ID = `SELECT ${READ} FROM account WHERE id = ?`;
const BY_LOGIN_ID = `SELECT ${READ} FROM account WHERE login_id = ?`;
const ANY = 'SELECT 1 FROM account LIMIT 1';

const WRITTEN =
  'id, login_id, kind, status, password_hash, roles, is_admin, email, mfa_required, enrolment_forced, security_stamp, ' +
  'last_used_step, failures, failures_in_row, lock_level, last_attempt_at, created_at, updated_at';
const ROW = `(?, ?, ?, 'active', ?, ?, ?, ?, ?, 0, 0, -1, 0, 0, 0, 0, ?, ?)`;
const INSERT = `INSERT INTO account (${WRITTEN}) VALUES `;

/** Locks the row: what happens to the account next happens after this transaction. */
const HOLDS_ACTIVE = `UPDATE account SET status = 'active' WHERE id = ? AND status = 'active'`;
const HOLDS = `${HOLDS_ACTIVE} AND security_stamp = ?`;

const REHASH = `UPDATE account SET ${NEW_HASH} WHERE id = ? AND password_hash = ?`;
const SET_PASSWORD =
  `UPDATE account SET ${NEW_HASH}, password_ends_at = NULL, security_stamp = security_stamp + 1, pending_totp_id = NULL, ` +
  "updated_at = ? WHERE id = ? AND kind = 'local'";
const RESET_PASSWORD =
  `UPDATE account SET ${NEW_HASH}, password_ends_at = ?, security_stamp = security_stamp + 1, pending_totp_id = NULL, ` +
  "updated_at = ? WHERE id = ? AND kind = 'local'";
/** Only while it is the temporary password that was verified, and has not expired. */
const REPLACE_TEMPORARY = `${SET_PASSWORD} AND status = 'active' AND password_hash = ? AND password_ends_at > ?`;

/**
 * Whoever takes an administrator away comes through here first, one after the other: two that take away each other
 * would both still see one left.
 */
const LOCK_ADMINISTRATORS = 'UPDATE account SET is_admin = 1 WHERE is_admin = 1';
/** Another active one. MySQL wants a table of its own around what is read from the table that is changed. */
const NOT_THE_LAST =
  "(is_admin = 0 OR status <> 'active' OR (SELECT number FROM (SELECT COUNT(*) AS number FROM account " +
  "WHERE is_admin = 1 AND status = 'active' AND id <> ?) AS others) > 0)";
const DISABLE =
  "UPDATE account SET status = 'disabled', security_stamp = security_stamp + 1, pending_totp_id = NULL, updated_at = ? " +
  `WHERE id = ? AND status <> 'disabled' AND ${NOT_THE_LAST}`;
const ENABLE =
  "UPDATE account SET status = 'active', security_stamp = security_stamp + 1, pending_totp_id = NULL, updated_at = ? " +
  "WHERE id = ? AND status <> 'active'";

/** Ends half tokens, half-authenticated sessions and pending secrets. */
const NEW_STAMP = ['security_stamp = security_stamp + 1', 'pending_totp_id = NULL'];

const DELETE = `DELETE FROM account WHERE id = ? AND ${NOT_THE_LAST}`;

/** The table of accounts: who there is and what the password is verified against. */
@Injectable()
export class AccountStore {
  async find(tx: Tx, id: string): Promise<StoredAccount | undefined> {
    return account(await tx.rows<AccountRow>(BY_ID, [id]));
  }

  /** `loginId` in its normalised form. */
  async findByLoginId(tx: Tx, loginId: string): Promise<StoredAccount | undefined> {
    return account(await tx.rows<AccountRow>(BY_LOGIN_ID, [loginId]));
  }

  async isEmpty(tx: Tx): Promise<boolean> {
    return (await tx.rows(ANY)).length === 0;
  }

  /** Those of the login ids that are taken. */
  async taken(tx: Tx, loginIds: readonly string[]): Promise<ReadonlySet<string>> {
    const marks = loginIds.map(() => '?').join(', ');
    const sql = `SELECT login_id FROM account WHERE login_id IN (${marks})`;
    const rows = await tx.rows<Pick<AccountRow, 'login_id'>>(sql, loginIds);
    return new Set(rows.map((row) => row.login_id));
  }

  /** All or none; false when one of the login ids is taken. */
  insert(tx: Tx, accounts: readonly NewAccount[]): Promise<boolean> {
    return tx.insert(INSERT + accounts.map(() => ROW).join(', '), accounts.flatMap(values));
  }

  async holds(tx: Tx, id: string, securityStamp: number): Promise<boolean> {
    return (await tx.change(HOLDS, [id, securityStamp])) === 1;
  }

  /** Holds the row of an active account; what ends its sessions comes before this transaction, or after it. */
  async holdActive(tx: Tx, id: string): Promise<boolean> {
    return (await tx.change(HOLDS_ACTIVE, [id])) === 1;
  }

  /** Replaces the hash that was verified; false when somebody else has changed it since. */
  async rehash(tx: Tx, id: string, verified: string, fresh: string): Promise<boolean> {
    return (await tx.change(REHASH, [fresh, id, verified])) === 1;
  }

  /** False for an account that has none, or whose security stamp is another one. */
  async setPassword(tx: Tx, id: string, hash: string, now: number, securityStamp?: number): Promise<boolean> {
    const values = [hash, now, id];
    const matched =
      securityStamp === undefined
        ? await tx.change(SET_PASSWORD, values)
        : await tx.change(`${SET_PASSWORD} AND security_stamp = ?`, [...values, securityStamp]);
    return matched === 1;
  }

  /** Stores a temporary password; false for an account that has none of its own. */
  async resetPassword(
    tx: Tx,
    id: string,
    hash: string,
    { now, endsAt }: { now: number; endsAt: number },
  ): Promise<boolean> {
    return (await tx.change(RESET_PASSWORD, [hash, endsAt, now, id])) === 1;
  }

  /** False where the temporary password that was verified is no longer stored or has expired. */
  async replaceTemporary(tx: Tx, id: string, verified: string, hash: string, now: number): Promise<boolean> {
    return (await tx.change(REPLACE_TEMPORARY, [hash, now, id, verified, now])) === 1;
  }

  /** False for the last administrator, and where there is no such account. */
  async delete(tx: Tx, id: string): Promise<boolean> {
    await tx.change(LOCK_ADMINISTRATORS);
    return (await tx.change(DELETE, [id, id])) === 1;
  }

  /** Accounts in the order of their login ids. */
  async page(tx: Tx, { query, role, status, after = '', limit }: AccountFilter): Promise<readonly StoredAccount[]> {
    const conditions = ['login_id > ?'];
    const values: Value[] = [after];
    if (query !== undefined) {
      conditions.push('INSTR(login_id, ?) > 0');
      values.push(query);
    }
    if (role !== undefined) {
      conditions.push("INSTR(CONCAT(',', roles, ','), ?) > 0");
      values.push(`,${role},`);
    }
    if (status !== undefined) {
      conditions.push('status = ?');
      values.push(status);
    }
    const sql = `SELECT ${READ} FROM account WHERE ${conditions.join(' AND ')} ORDER BY login_id LIMIT ?`;
    return (await tx.rows<AccountRow>(sql, [...values, limit])).map(accountOf);
  }

  /** False when it is so already, and for the last administrator. */
  async disable(tx: Tx, id: string, now: number): Promise<boolean> {
    await tx.change(LOCK_ADMINISTRATORS);
    return (await tx.change(DISABLE, [now, id, id])) === 1;
  }

  /** False when it is so already. */
  async enable(tx: Tx, id: string, now: number): Promise<boolean> {
    return (await tx.change(ENABLE, [now, id])) === 1;
  }

  /**
   * New roles raise the security stamp: half-done logins end, since policy was asked with the old ones. False when the change would
   * leave no administrator, or there is no such account.
   */
  async change(tx: Tx, id: string, change: AccountChange, now: number): Promise<boolean> {
    const { sql, assigned } = changeOf(change, now, change.roles ? NEW_STAMP : []);
    if (!change.roles || isAdmin(change.roles)) return (await tx.change(sql, [...assigned, id])) === 1;
    await tx.change(LOCK_ADMINISTRATORS);
    return (await tx.change(`${sql} AND ${NOT_THE_LAST}`, [...assigned, id, id])) === 1;
  }

  /** Follows an identity provider: whoever is no administrator there is none here, the last one neither. */
  async follow(tx: Tx, id: string, change: AccountChange, now: number): Promise<void> {
    const { sql, assigned } = changeOf(change, now);
    await tx.change(sql, [...assigned, id]);
  }
}

/** The statement of a change but for the id at its end, and what it assigns; `more` are assignments without a value. */
function changeOf(
  { roles, email, mfaRequired }: AccountChange,
  now: number,
  more: readonly string[] = [],
): { readonly sql: string; readonly assigned: readonly Value[] } {
  const assignments = ['updated_at = ?', ...more];
  const assigned: Value[] = [now];
  if (roles) {
    assignments.push('roles = ?', 'is_admin = ?');
    assigned.push(rolesText(roles), isAdmin(roles));
  }
  if (email !== undefined) {
    assignments.push('email = ?');
    assigned.push(email);
  }
  if (mfaRequired !== undefined) {
    assignments.push('mfa_required = ?');
    assigned.push(Number(mfaRequired));
  }
  return { sql: `UPDATE account SET ${assignments.join(', ')} WHERE id = ?`, assigned };
}

/** What others may know of a stored account. */
export function withoutHash({ passwordHash, ...account }: StoredAccount): Account {
  return { ...account, hasPassword: passwordHash !== undefined };
}

function values(row: NewAccount): Value[] {
  const { id, loginId, kind, passwordHash = null, roles, email = null, mfaRequired, createdAt } = row;
  const [mfa, admin] = [Number(mfaRequired), isAdmin(roles)];
  return [id, loginId, kind, passwordHash, rolesText(roles), admin, email, mfa, createdAt, createdAt];
}

function isAdmin(roles: readonly string[]): number {
  return Number(roles.includes(ROLE_ADMIN));
}

function account([row]: readonly AccountRow[]): StoredAccount | undefined {
  return row && accountOf(row);
}

function accountOf(row: AccountRow): StoredAccount {
  return {
    id: row.id,
    loginId: row.login_id,
    kind: row.kind,
    status: row.status,
    roles: rolesOf(row.roles),
    ...(row.email !== null && { email: row.email }),
    mfaRequired: row.mfa_required === 1,
    enrolmentForced: row.enrolment_forced === 1,
    securityStamp: row.security_stamp,
    ...(row.totp_id !== null && { totpId: row.totp_id }),
    ...(row.password_ends_at !== null && { passwordEndsAt: row.password_ends_at }),
    ...(row.password_hash !== null && { passwordHash: row.password_hash }),
  };
}
