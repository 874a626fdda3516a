/** States of an account that a list can be limited to; `unready` lacks the second factor that policy demands, now or later. */
export const ACCOUNT_STATES = ['active', 'disabled', 'invited', 'locked', 'no-factor', 'unready'] as const;
export type AccountState = (typeof ACCOUNT_STATES)[number];

/** Conditions on a list of users; undefined members do not filter. */
export interface UserFilter {
  /** A part of the login id or of the mail address. */
  readonly query?: string | undefined;
  readonly state?: AccountState | undefined;
  readonly role?: string | undefined;
  /** Users who did not sign in during this number of days, or never. */
  readonly inactiveDays?: number | undefined;
}
