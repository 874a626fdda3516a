/** `local` signs in with a password; `staff` comes from an identity provider and has none. */
export type AccountKind = 'local' | 'staff';
export type AccountStatus = 'active' | 'disabled';

/** A stored user record, without anything that could be verified against. */
export interface Account {
  /** The subject of tokens. */
  readonly id: string;
  /** In its normalised form. */
  readonly loginId: string;
  readonly kind: AccountKind;
  readonly status: AccountStatus;
  readonly roles: readonly string[];
  readonly email?: string;
  /** The second factor is demanded of this account, whatever its roles. */
  readonly mfaRequired: boolean;
  /** An administrator's reset: the next login must enrol, whatever the policy says. */
  readonly enrolmentForced: boolean;
  /** Half tokens, half-authenticated sessions and pending secrets of an earlier security stamp are dead. */
  readonly securityStamp: number;
  /** The active TOTP secret; unset where the second factor is off. */
  readonly totpId?: string;
  readonly hasPassword: boolean;
  /** Epoch seconds at which a temporary password expires; unset for a password that the user chose. */
  readonly passwordEndsAt?: number;
}

/** Why a password step was refused, for the security event; the caller is told none of it. */
export type PasswordRefusal = 'unknown' | 'disabled' | 'no_password' | 'wrong_password' | 'expired_password';

/** The stored temporary password that was verified: it is replaced only while it is still the same. */
export interface TemporaryPassword {
  readonly hash: string;
}

export type PasswordVerdict =
  | { readonly kind: 'right'; readonly account: Account }
  /** A right temporary password: it opens nothing but its own replacement. */
  | { readonly kind: 'temporary'; readonly account: Account; readonly temporary: TemporaryPassword }
  | { readonly kind: 'refused'; readonly reason: PasswordRefusal; readonly subject?: string };
