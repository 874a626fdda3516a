import { Injectable } from '@nestjs/common';
import { batchesOf } from '../../platform/persistence/batch-size.js';
import { OrmPropertiesProperties } from '../../platform/persistence/jpa.properties.js';
import type { Tx, Value } from '../../platform/persistence/unit-of-work.js';
import { groupsText } from './profile.js';
import { emailKeyOf, type AccountKind, ROLE_ADMIN, rolesText, STAGED } from './account.js';

/** The values of a new account. */
export interface NewAccount {
  readonly id: string;
  readonly loginId: string;
  readonly kind: AccountKind;
  readonly passwordHash?: string | undefined;
  readonly roles: readonly string[];
  readonly email?: string | undefined;
  readonly emailVerified?: boolean | undefined;
  readonly displayName?: string | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly mfaRequired: boolean;
  /** The account gets its first password by an invitation. */
  readonly isInvited?: boolean;
  /** The first login must enrol a second factor, whatever the policy. */
  readonly enrolmentForced?: boolean;
  /** Epoch seconds. */
  readonly createdAt: number;
}

/** An import stages its accounts: they exist once it is complete. */
export type NewStatus = 'active' | typeof STAGED;

/** Changes of an account besides status and password; undefined members stay. */
export interface AccountChange {
  readonly roles?: readonly string[];
  /** Null removes the address. */
  readonly email?: string | null;
  /** Whether the address after the change is verified; another address is not unless this is true. */
  readonly emailVerified?: boolean;
  /** Null removes the name. */
  readonly displayName?: string | null;
  readonly groups?: readonly string[];
  readonly mfaRequired?: boolean;
}

/** The accounts of an import in progress exist only once it is complete; those of any other will be deleted. */
const ANY = `SELECT 1 FROM account
  WHERE status <> '${STAGED}' OR EXISTS (SELECT 1 FROM account_import WHERE state = 'complete') LIMIT 1`;

const WRITTEN =
  'id, login_id, kind, status, password_hash, roles, is_admin, email, mfa_required, enrolment_forced, security_stamp, ' +
  'last_used_step, failures, failures_in_row, lock_level, last_attempt_at, created_at, updated_at, invited_at, ' +
  'email_verified_version, display_name, group_names, email_key';
const rowOf = (status: NewStatus): string =>
  `(?, ?, ?, '${status}', ?, ?, ?, ?, ?, ?, 0, -1, 0, 0, 0, 0, ?, ?, ?, ?, ?, ?, ?)`;
const INSERT = `INSERT INTO account (${WRITTEN}) VALUES `;

/**
 * Every statement that removes an administrator runs after this one, which makes them wait for each other: two
 * administrators that remove each other concurrently would otherwise both see one left.
 */
const LOCK_ADMINISTRATORS = 'UPDATE account SET holds = holds + 1 WHERE is_admin = 1';
/** True if another active administrator remains. MySQL needs a derived table to read the table that it changes. */
const NOT_THE_LAST =
  "(is_admin = 0 OR status <> 'active' OR (SELECT number FROM (SELECT COUNT(*) AS number FROM account " +
  "WHERE is_admin = 1 AND status = 'active' AND id <> ?) AS others) > 0)";
const DISABLE =
  "UPDATE account SET status = 'disabled', security_stamp = security_stamp + 1, pending_totp_id = NULL, updated_at = ? " +
  `WHERE id = ? AND status <> 'disabled' AND ${NOT_THE_LAST}`;
const ENABLE =
  "UPDATE account SET status = 'active', security_stamp = security_stamp + 1, pending_totp_id = NULL, updated_at = ? " +
  "WHERE id = ? AND status = 'disabled'";
const DELETE_IDENTITIES = 'DELETE FROM staff_identity WHERE user_id = ?';
const DELETE = `DELETE FROM account WHERE id = ? AND ${NOT_THE_LAST}`;

/** Also for a local account that never had a password, such as one that was imported without. */
const INVITE =
  'UPDATE account SET invited_at = ?, enrolment_forced = CASE WHEN enrolment_forced = 1 THEN 1 ELSE ? END, updated_at = ? ' +
  "WHERE id = ? AND kind = 'local' AND status = 'active' AND password_hash IS NULL AND password_version = 0";
/** Locks the row: later changes of the account wait for this transaction. The accounts of an unfinished import do not exist. */
const HOLD = `UPDATE account SET holds = holds + 1 WHERE id = ? AND status <> '${STAGED}'`;
const WITHOUT_ROLE = " AND INSTR(CONCAT(',', roles, ','), ?) = 0";

/** Ends `mfa_token`s, half-authenticated sessions and pending secrets. */
const NEW_STAMP = ['security_stamp = security_stamp + 1', 'pending_totp_id = NULL'];

/** The `email_version` of a new account. */
const FIRST_VERSION = 0;
/** Part of every statement that changes the address: it ends mailed links. */
const NEW_ADDRESS = 'email_version = email_version + 1';
/** Forms send the address with other changes, and the same address is no change. No address is empty, so the empty one stands for none. */
const NEXT_VERSION = "email_version + CASE WHEN COALESCE(email, '') = COALESCE(?, '') THEN 0 ELSE 1 END";
/** The versions before the address: MariaDB assigns from left to right, so a later expression would read the new address. */
const SET_ADDRESS = [`email_version = ${NEXT_VERSION}`, 'email = ?', 'email_key = ?'];
/** Before `SET_ADDRESS`, for the same reason. */
const VERIFY_NEXT_ADDRESS = `email_verified_version = ${NEXT_VERSION}`;
const VERIFY_ADDRESS = 'email_verified_version = email_version';
const UNVERIFY_ADDRESS = 'email_verified_version = NULL';
/** The address of a mailed link, while the account has the one that it had when the link was requested. */
const CONFIRM_ADDRESS =
  `UPDATE account SET ${[VERIFY_NEXT_ADDRESS, ...SET_ADDRESS].join(', ')}, updated_at = ? ` +
  "WHERE id = ? AND status = 'active' AND email_version = ?";
/** Staff get no links to a password, and their address follows the identity provider. */
const REMOVE_NEWER_ADDRESS =
  `UPDATE account SET email = NULL, email_key = NULL, ${NEW_ADDRESS}, updated_at = ? ` +
  "WHERE id = ? AND kind = 'local' AND email IS NOT NULL AND email_version <> ?";

/** Table `account`: inserts, changes and deletes accounts; at least one active administrator always remains. */
@Injectable()
export class AccountChangesStore {
  constructor(private readonly settings: OrmPropertiesProperties = new OrmPropertiesProperties()) {}

  /** Accounts that one `insert` takes. */
  get batchSize(): number {
    return this.settings.jdbcBatchSize;
  }

  async isEmpty(tx: Tx): Promise<boolean> {
    return (await tx.rows(ANY)).length === 0;
  }

  /** The login ids among these that exist. */
  async taken(tx: Tx, loginIds: readonly string[]): Promise<ReadonlySet<string>> {
    const read = (batch: readonly string[]): Promise<readonly { readonly login_id: string }[]> => {
      const marks = batch.map(() => '?').join(', ');
      return tx.rows(`SELECT login_id FROM account WHERE login_id IN (${marks})`, batch);
    };
    const found = await Promise.all(batchesOf(loginIds, this.settings.defaultBatchFetchSize).map(read));
    return new Set(found.flat().map((row) => row.login_id));
  }

  /** Inserts all accounts, or none and returns false if one of the login ids is taken. */
  insert(tx: Tx, accounts: readonly NewAccount[], status: NewStatus = 'active'): Promise<boolean> {
    const row = rowOf(status);
    return tx.insert(INSERT + accounts.map(() => row).join(', '), accounts.flatMap(values));
  }

  /** Locks the row of an account; false if it does not exist or has one of these roles. */
  async hold(tx: Tx, id: string, protectedRoles: readonly string[]): Promise<boolean> {
    const sql = HOLD + WITHOUT_ROLE.repeat(protectedRoles.length);
    return (await tx.change(sql, [id, ...protectedRoles.map((role) => `,${role},`)])) === 1;
  }

  /** False for the last administrator, and if the account does not exist. */
  async delete(tx: Tx, id: string): Promise<boolean> {
    await tx.change(LOCK_ADMINISTRATORS);
    if ((await tx.change(DELETE, [id, id])) !== 1) return false;
    await tx.change(DELETE_IDENTITIES, [id]);
    return true;
  }

  /** False if the account is disabled already, and for the last administrator. */
  async disable(tx: Tx, id: string, now: number): Promise<boolean> {
    await tx.change(LOCK_ADMINISTRATORS);
    return (await tx.change(DISABLE, [now, id, id])) === 1;
  }

  /** False if the account is active already. */
  async enable(tx: Tx, id: string, now: number): Promise<boolean> {
    return (await tx.change(ENABLE, [now, id])) === 1;
  }

  /** Invites an account without a password, also again; false if it has or had one, or is not active. */
  async invite(tx: Tx, id: string, enrolmentForced: boolean, now: number): Promise<boolean> {
    return (await tx.change(INVITE, [now, Number(enrolmentForced), now, id])) === 1;
  }

  /**
   * New roles raise the security stamp, which ends logins in progress, since policy decided by the old roles. False if
   * the change would leave no administrator, or the account does not exist.
   */
  async change(tx: Tx, id: string, change: AccountChange, now: number): Promise<boolean> {
    const { sql, assigned } = changeOf(change, now);
    if (!change.roles || isAdmin(change.roles)) return (await tx.change(sql, [...assigned, id])) === 1;
    await tx.change(LOCK_ADMINISTRATORS);
    return (await tx.change(`${sql} AND ${NOT_THE_LAST}`, [...assigned, id, id])) === 1;
  }

  /** Sets an address that its user has confirmed; false if the account has another version of the address. */
  async confirmAddress(tx: Tx, id: string, email: string, version: number, now: number): Promise<boolean> {
    return (await tx.change(CONFIRM_ADDRESS, [email, ...addressValues(email), now, id, version])) === 1;
  }

  /** Removes the address unless it is of this version; false if there is nothing to remove. */
  async removeNewerAddress(tx: Tx, id: string, version: number, now: number): Promise<boolean> {
    return (await tx.change(REMOVE_NEWER_ADDRESS, [now, id, version])) === 1;
  }

  /** Like `change`, with what an identity provider states, even if that removes the last administrator. */
  async follow(tx: Tx, id: string, change: AccountChange, now: number): Promise<void> {
    const { sql, assigned } = changeOf(change, now);
    await tx.change(sql, [...assigned, id]);
  }
}

/** The statement of a change without the id at its end, and its values. */
function changeOf(
  { roles, mfaRequired, displayName, groups, ...address }: AccountChange,
  now: number,
): { readonly sql: string; readonly assigned: readonly Value[] } {
  const assignments = ['updated_at = ?'];
  const assigned: Value[] = [now];
  if (roles) {
    assignments.push(...NEW_STAMP, 'roles = ?', 'is_admin = ?');
    assigned.push(rolesText(roles), isAdmin(roles));
  }
  const ofAddress = addressChangeOf(address);
  assignments.push(...ofAddress.assignments);
  assigned.push(...ofAddress.assigned);
  if (displayName !== undefined) {
    assignments.push('display_name = ?');
    assigned.push(displayName);
  }
  if (groups) {
    assignments.push('group_names = ?');
    assigned.push(groupsText(groups));
  }
  if (mfaRequired !== undefined) {
    assignments.push('mfa_required = ?');
    assigned.push(Number(mfaRequired));
  }
  return { sql: `UPDATE account SET ${assignments.join(', ')} WHERE id = ?`, assigned };
}

function addressChangeOf({ email, emailVerified }: Pick<AccountChange, 'email' | 'emailVerified'>): {
  readonly assignments: readonly string[];
  readonly assigned: readonly Value[];
} {
  if (email === undefined) {
    if (emailVerified === undefined) return { assignments: [], assigned: [] };
    return { assignments: [emailVerified ? VERIFY_ADDRESS : UNVERIFY_ADDRESS], assigned: [] };
  }
  if (emailVerified === true)
    return { assignments: [VERIFY_NEXT_ADDRESS, ...SET_ADDRESS], assigned: [email, ...addressValues(email)] };
  const unverified = emailVerified === undefined ? [] : [UNVERIFY_ADDRESS];
  return { assignments: [...unverified, ...SET_ADDRESS], assigned: addressValues(email) };
}

/** The values of `SET_ADDRESS`. */
function addressValues(email: string | null): Value[] {
  return [email, email, keyOf(email)];
}

function keyOf(email: string | null): string | null {
  return email === null ? null : (emailKeyOf(email) ?? null);
}

function values(row: NewAccount): Value[] {
  const {
    id,
    loginId,
    kind,
    passwordHash = null,
    roles,
    email = null,
    emailVerified = false,
    displayName = null,
    groups = [],
    mfaRequired,
    isInvited = false,
    enrolmentForced = false,
    createdAt,
  } = row;
  const [mfa, forced, invitedAt] = [Number(mfaRequired), Number(enrolmentForced), isInvited ? createdAt : null];
  const access = [passwordHash, rolesText(roles), isAdmin(roles), email, mfa, forced];
  const profile = [emailVerified ? FIRST_VERSION : null, displayName, groupsText(groups), keyOf(email)];
  return [id, loginId, kind, ...access, createdAt, createdAt, invitedAt, ...profile];
}

function isAdmin(roles: readonly string[]): number {
  return Number(roles.includes(ROLE_ADMIN));
}
