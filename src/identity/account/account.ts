import type { Language } from './language.js';
import { ROLE_MANAGEMENT } from '../../kernel/principal/operator.js';

/** `local` signs in with a password; `staff` comes from an identity provider and has none. */
export type AccountKind = 'local' | 'staff';
export type AccountStatus = 'active' | 'disabled';
/** The status of accounts that an unfinished import has stored; nothing but the import sees them. */
export const STAGED = 'staged';

/** A stored user record, without its password hash. */
export interface Account {
  /** The subject of tokens. */
  readonly id: string;
  /** In its normalised form. */
  readonly loginId: string;
  readonly kind: AccountKind;
  readonly status: AccountStatus;
  readonly roles: readonly string[];
  readonly email?: string;
  /** Rises with each change of the address. */
  readonly emailVersion: number;
  /** True if mails to the present address are known to reach the user. */
  readonly emailVerified: boolean;
  /** What pages, mails and other applications call the user. */
  readonly displayName?: string;
  /** Claims for other applications; roles alone authorize here. */
  readonly groups: readonly string[];
  /** Language of pages and mails, once the user has chosen one. */
  readonly language?: Language;
  /** True if this account needs a second factor, whatever its roles. */
  readonly mfaRequired: boolean;
  /** True after an administrator's reset: the next login must enrol, whatever the policy. */
  readonly enrolmentForced: boolean;
  /** `mfa_token`s, half-authenticated sessions and pending secrets of an earlier security stamp are rejected. */
  readonly securityStamp: number;
  /** Number of active authenticator apps. */
  readonly totpCount: number;
  readonly passkeyCount: number;
  readonly hasPassword: boolean;
  /** Epoch seconds at which a temporary password expires; unset for a password that the user chose. */
  readonly passwordEndsAt?: number;
  /** Rises whenever the password is replaced or removed; a rehash keeps it. */
  readonly passwordVersion: number;
  /** Epoch seconds. */
  readonly createdAt: number;
  /** Epoch seconds of the last completed sign-in; unset if there was none since this time is recorded. */
  readonly lastSignInAt?: number;
  /** Epoch seconds of an invitation that is not accepted; the account has no password before that. */
  readonly invitedAt?: number;
}

/** The facts about an account that must still be true when a decision based on them is stored. */
export type AccountVersion = Pick<Account, 'id' | 'securityStamp' | 'totpCount' | 'passkeyCount'>;

/** An account with the hash that its password is verified against. */
export interface StoredAccount extends Omit<Account, 'hasPassword'> {
  readonly passwordHash?: string;
}

/** The part of a stored account that other folders may read. */
export function withoutHash({ passwordHash, ...account }: StoredAccount): Account {
  return { ...account, hasPassword: passwordHash !== undefined };
}

/** True if the account has an authenticator, so that its password alone does not complete a login. */
export function hasSecondFactor({ totpCount, passkeyCount }: Pick<Account, 'totpCount' | 'passkeyCount'>): boolean {
  return totpCount + passkeyCount > 0;
}

export const ROLE_ADMIN = 'ROLE_ADMIN';
/** Unlocks users and resets their second factor, on accounts without a protected role. */
export const ROLE_HELPDESK = 'ROLE_HELPDESK';
/** Accounts with one of these roles are changed by administrators only, whatever the configuration adds. */
export const PROTECTED_ROLES: readonly string[] = [ROLE_ADMIN, ROLE_MANAGEMENT, ROLE_HELPDESK];

/** Role names of accounts; `ROLE_PRE_MFA` is reserved for half-authenticated callers. */
export const ROLE_FORM = /^(?!ROLE_PRE_MFA$)ROLE_[A-Z][A-Z0-9_]{0,58}$/;
/** Length of the column. */
const MAX_ROLES_LENGTH = 1024;

/** The form in which roles are stored: unique names in alphabetical order, separated by commas. */
export function rolesText(roles: readonly string[]): string {
  return [...new Set(roles)].sort().join(',');
}

/** The roles of a stored text. */
export function rolesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(',');
}

/** The roles of a list that a user wrote: names between commas, semicolons, bars or blanks. */
export function rolesWritten(text: string): readonly string[] {
  return text.split(/[\s,;|]+/).filter((role) => role !== '');
}

/** True if an account may have these roles. */
export function areRoles(roles: readonly string[]): boolean {
  return roles.every((role) => ROLE_FORM.test(role)) && rolesText(roles).length <= MAX_ROLES_LENGTH;
}

export const MAX_EMAIL_LENGTH = 254;
const EMAIL = /^[^\s@\p{Cc}\p{Cf}<>"(),:;\\[\]]{1,64}@[^\s@\p{Cc}\p{Cf}<>"(),:;\\[\]]+$/u;

/** Checks only the form of a mail address: one `@`, and no character with a meaning in a mail header. */
export function isEmail(text: string): boolean {
  return text.isWellFormed() && text.length <= MAX_EMAIL_LENGTH && EMAIL.test(text);
}

/** The form of an address by which its user signs in, in any case; undefined for one that is too long in this form. */
export function emailKeyOf(email: string): string | undefined {
  const key = email.normalize('NFKC').toLowerCase();
  return Array.from(key).length <= MAX_EMAIL_LENGTH ? key : undefined;
}
