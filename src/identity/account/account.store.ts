import { Injectable } from '@nestjs/common';
import { isLanguage, type Language } from './language.js';
import type { Tx, Value } from '../../platform/persistence/unit-of-work.js';
import { AccountEntity } from './account.entity.js';
import { allOf, type Condition, EXISTING, statisticsOf, statisticsStatement, withRole } from './account-conditions.js';
import type { AccountStatistics, FactorDemand } from './account-statistics.js';
import { groupsOf } from './profile.js';
import {
  type AccountStatus,
  type AccountVersion,
  emailKeyOf,
  hasSecondFactor,
  rolesOf,
  type StoredAccount,
} from './account.js';

/** Conditions on accounts; undefined members do not filter. */
export interface AccountFilter {
  /** A part of the login id, in its normalised form, or of the mail address, in lower case. */
  readonly query?: { readonly loginId: string | undefined; readonly email: string } | undefined;
  readonly role?: string | undefined;
  readonly status?: AccountStatus | undefined;
  readonly conditions?: readonly Condition[] | undefined;
}

/** A page of accounts in the order of their login ids: those after one login id, or the last ones before one. */
export interface AccountPage extends AccountFilter {
  readonly after?: string | undefined;
  readonly before?: string | undefined;
  readonly limit: number;
}

const READ = [
  ...(['id', 'login_id', 'kind', 'status', 'password_hash', 'roles', 'email', 'mfa_required'] as const),
  ...(['enrolment_forced', 'security_stamp', 'totp_count', 'passkey_count', 'password_ends_at'] as const),
  ...(['password_version', 'invited_at', 'language', 'email_version', 'email_verified_version'] as const),
  ...(['display_name', 'group_names', 'created_at', 'last_sign_in_at'] as const),
];
type AccountRow = Pick<AccountEntity, (typeof READ)[number]>;

const SELECT = `SELECT ${READ.join(', ')} FROM account`;
const BY_ID = `${SELECT} WHERE id = ? AND ${EXISTING.sql}`;
const BY_LOGIN_ID = `${SELECT} WHERE login_id = ? AND ${EXISTING.sql}`;

const EVERY_ROW = '9223372036854775807';
const COUNT = 'SELECT COUNT(*) AS number FROM account';

/** The account of the login id first, then those of the address; a third one changes nothing. */
const BY_USERNAME = `${SELECT} WHERE (login_id = ? OR email_key = ?) AND ${EXISTING.sql}
  ORDER BY CASE WHEN login_id = ? THEN 0 ELSE 1 END LIMIT 2`;

/** Locks the row, also against other nodes of a cluster: later changes of the account wait for this transaction or lose. */
const HOLDS_ACTIVE = `UPDATE account SET holds = holds + 1 WHERE id = ? AND status = 'active'`;
/** The security stamp alone is not enough: the first passkey of an account does not raise it. */
const UNCHANGED = ' AND security_stamp = ? AND (totp_count + passkey_count > 0) = ?';
const SIGN_IN = `UPDATE account SET holds = holds + 1, last_sign_in_at = ? WHERE id = ? AND status = 'active'${UNCHANGED}`;
const SIGNED_IN = 'UPDATE account SET last_sign_in_at = ? WHERE id = ?';

/** Part of every statement that writes a hash: `HashKindStore.classify` finds out its kind later. */
const NEW_HASH = "password_hash = ?, password_kind = 'new'";
const REHASH = `UPDATE account SET ${NEW_HASH} WHERE id = ? AND password_hash = ?`;
/** Part of every statement that replaces the password: it ends logins in progress, mailed links and an invitation. */
const REPLACED =
  'password_version = password_version + 1, invited_at = NULL, security_stamp = security_stamp + 1, pending_totp_id = NULL';
const SET_PASSWORD =
  `UPDATE account SET ${NEW_HASH}, password_ends_at = NULL, ${REPLACED}, ` +
  "updated_at = ? WHERE id = ? AND kind = 'local'";
const CHANGE_PASSWORD = SET_PASSWORD + UNCHANGED;
const RESET_PASSWORD =
  `UPDATE account SET ${NEW_HASH}, password_ends_at = ?, ${REPLACED}, ` +
  "updated_at = ? WHERE id = ? AND kind = 'local'";
/** Sets the first password of an account. */
const ACCEPT_INVITATION = `${SET_PASSWORD} AND status = 'active' AND invited_at IS NOT NULL`;
/**
 * The account keeps everything else, also its second factor. `password_version` first: MariaDB assigns from left to right, so
 * a later expression would read the removed hash. An invited account has no password, and its invitation stays.
 */
const REMOVE_PASSWORD =
  'UPDATE account SET password_version = password_version + CASE WHEN password_hash IS NULL THEN 0 ELSE 1 END, ' +
  "password_hash = NULL, password_kind = 'new', password_ends_at = NULL, security_stamp = security_stamp + 1, " +
  "pending_totp_id = NULL, updated_at = ? WHERE id = ? AND status = 'active' AND invited_at IS NULL";
/** Succeeds only while the verified temporary password is stored and has not expired. */
const REPLACE_TEMPORARY = `${SET_PASSWORD} AND status = 'active' AND password_hash = ? AND password_ends_at > ?`;

/** Accounts share few lists of roles; more than these are ignored. */
const ROLE_LISTS = `SELECT DISTINCT roles FROM account WHERE ${EXISTING.sql} LIMIT 1000`;

const SET_LANGUAGE = "UPDATE account SET language = ? WHERE id = ? AND status = 'active'";

/** Table `account`: finds accounts, locks their rows and writes their passwords. */
@Injectable()
export class AccountStore {
  async find(tx: Tx, id: string): Promise<StoredAccount | undefined> {
    return account(await tx.rows<AccountRow>(BY_ID, [id]));
  }

  /** `loginId` in its normalised form. */
  async findByLoginId(tx: Tx, loginId: string): Promise<StoredAccount | undefined> {
    return account(await tx.rows<AccountRow>(BY_LOGIN_ID, [loginId]));
  }

  /**
   * The account with this login id, in its normalised form, or else the only one with this mail address, in any case. Undefined for
   * an address that several accounts have.
   */
  async findByUsername(tx: Tx, username: string): Promise<StoredAccount | undefined> {
    const key = username.includes('@') ? emailKeyOf(username) : undefined;
    if (key === undefined) return this.findByLoginId(tx, username);
    const [first, ...others] = await tx.rows<AccountRow>(BY_USERNAME, [username, key, username]);
    if (first?.login_id === username) return accountOf(first);
    // An older version may have changed the address without the key.
    if (!first || others.length > 0) return undefined;
    const found = accountOf(first);
    return found.email !== undefined && emailKeyOf(found.email) === key ? found : undefined;
  }

  /** Every list of roles that accounts have; visits every account. */
  async roleLists(tx: Tx): Promise<readonly (readonly string[])[]> {
    return (await tx.rows<Pick<AccountRow, 'roles'>>(ROLE_LISTS)).map(({ roles }) => rolesOf(roles));
  }

  /** Accounts in the order of their login ids. */
  async page(tx: Tx, { after, before, limit, ...filter }: AccountPage): Promise<readonly StoredAccount[]> {
    const cursor: readonly Condition[] = [
      ...(after === undefined ? [] : [{ sql: 'login_id > ?', values: [after] }]),
      ...(before === undefined ? [] : [{ sql: 'login_id < ?', values: [before] }]),
    ];
    const { sql, values } = matching(filter, cursor);
    const order = `ORDER BY login_id${before === undefined ? '' : ' DESC'}`;
    // Other filters than a query may visit every account: a limit keeps the embedded database from reading the rows in the
    // order of an index, one by one.
    const isScan = filter.role !== undefined || (filter.conditions ?? []).length > 0;
    const from = isScan
      ? `(SELECT id, login_id FROM account WHERE ${sql} LIMIT ${EVERY_ROW}) AS found`
      : `account WHERE ${sql}`;
    // One statement: an account that changes between two would be missing, or would not match.
    const ids = `SELECT id FROM ${from} ${order} LIMIT ?`;
    const page = `${SELECT} WHERE id IN (SELECT id FROM (${ids}) AS page) ORDER BY login_id`;
    return (await tx.rows<AccountRow>(page, [...values, limit])).map(accountOf);
  }

  async count(tx: Tx, filter: AccountFilter): Promise<number> {
    const { sql, values } = matching(filter);
    const [row] = await tx.rows<{ readonly number: number }>(`${COUNT} WHERE ${sql}`, values);
    return row?.number ?? 0;
  }

  async statistics(tx: Tx, demand: FactorDemand): Promise<AccountStatistics> {
    const { sql, values } = statisticsStatement(demand);
    return statisticsOf((await tx.rows<Record<string, number>>(sql, values))[0]);
  }

  /**
   * Locks the row of an account that is as it was read, and records the time of its sign-in; false if it is no longer active, or
   * has changed.
   */
  async signIn(tx: Tx, account: AccountVersion, now: number): Promise<boolean> {
    return (await tx.change(SIGN_IN, [now, account.id, ...unchanged(account)])) === 1;
  }

  async recordSignIn(tx: Tx, id: string, now: number): Promise<void> {
    await tx.change(SIGNED_IN, [now, id]);
  }

  /** Locks the row of an active account: a transaction that ends its sessions runs before this one, or after it. */
  async holdActive(tx: Tx, id: string): Promise<boolean> {
    return (await tx.change(HOLDS_ACTIVE, [id])) === 1;
  }

  /** Replaces the hash that was verified; false if it was changed since. */
  async rehash(tx: Tx, id: string, verified: string, fresh: string): Promise<boolean> {
    return (await tx.change(REHASH, [fresh, id, verified])) === 1;
  }

  /** False for an account of another kind, or one that is not as it was read. */
  async changePassword(tx: Tx, account: AccountVersion, hash: string, now: number): Promise<boolean> {
    return (await tx.change(CHANGE_PASSWORD, [hash, now, account.id, ...unchanged(account)])) === 1;
  }

  /** Stores a temporary password; false for an account without a password. */
  async resetPassword(
    tx: Tx,
    id: string,
    hash: string,
    { now, endsAt }: { now: number; endsAt: number },
  ): Promise<boolean> {
    return (await tx.change(RESET_PASSWORD, [hash, endsAt, now, id])) === 1;
  }

  /** Chooses the language; with `unlessChosen`, only for a user who has not chosen one. */
  async setLanguage(tx: Tx, id: string, language: Language, unlessChosen: boolean): Promise<void> {
    await tx.change(unlessChosen ? `${SET_LANGUAGE} AND language IS NULL` : SET_LANGUAGE, [language, id]);
  }

  /** Stores a password without asking for the previous one; false for an account of another kind. */
  async setPassword(tx: Tx, id: string, hash: string, now: number): Promise<boolean> {
    return (await tx.change(SET_PASSWORD, [hash, now, id])) === 1;
  }

  /** False if the invitation was accepted or withdrawn. */
  async acceptInvitation(tx: Tx, id: string, hash: string, now: number): Promise<boolean> {
    return (await tx.change(ACCEPT_INVITATION, [hash, now, id])) === 1;
  }

  /** Removes the password, so that only a reset gives the account another one. */
  async removePassword(tx: Tx, id: string, now: number): Promise<void> {
    await tx.change(REMOVE_PASSWORD, [now, id]);
  }

  /** False if the verified temporary password is no longer stored or has expired. */
  async replaceTemporary(tx: Tx, id: string, verified: string, hash: string, now: number): Promise<boolean> {
    return (await tx.change(REPLACE_TEMPORARY, [hash, now, id, verified, now])) === 1;
  }
}

function matching({ query, role, status, conditions = [] }: AccountFilter, more: readonly Condition[] = []): Condition {
  const found = query && {
    sql: 'INSTR(login_id, ?) > 0 OR INSTR(LOWER(email), ?) > 0',
    values: [query.loginId ?? query.email, query.email],
  };
  return allOf([
    EXISTING,
    ...(found ? [found] : []),
    ...(role === undefined ? [] : [withRole(role)]),
    ...(status === undefined ? [] : [{ sql: 'status = ?', values: [status] }]),
    ...conditions,
    ...more,
  ]);
}

/** The values of `UNCHANGED`. */
function unchanged(account: AccountVersion): readonly Value[] {
  return [account.securityStamp, hasSecondFactor(account) ? 1 : 0];
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
    emailVersion: row.email_version,
    emailVerified: row.email !== null && row.email_verified_version === row.email_version,
    ...(row.display_name !== null && { displayName: row.display_name }),
    groups: groupsOf(row.group_names),
    ...(isLanguage(row.language) && { language: row.language }),
    mfaRequired: row.mfa_required === 1,
    enrolmentForced: row.enrolment_forced === 1,
    securityStamp: row.security_stamp,
    totpCount: row.totp_count,
    passkeyCount: row.passkey_count,
    ...(row.password_ends_at !== null && { passwordEndsAt: row.password_ends_at }),
    passwordVersion: row.password_version,
    createdAt: row.created_at,
    ...(row.last_sign_in_at !== null && { lastSignInAt: row.last_sign_in_at }),
    ...(row.invited_at !== null && { invitedAt: row.invited_at }),
    ...(row.password_hash !== null && { passwordHash: row.password_hash }),
  };
}
