import type { Account } from '../../identity/account/account.js';
import type { Authenticator } from '../../identity/second-factor/factor-state.js';
import type { EnrolmentState } from '../../identity/second-factor/factor-state.js';

/** An account with the state of its second factor. */
export interface AccountDetails {
  readonly account: Account;
  readonly factors: EnrolmentState;
}

/** The part of an account that a caller may see. */
export interface VisibleAccount extends AccountDetails {
  /** The authenticators, oldest first; absent if the caller may not act on the account. */
  readonly authenticators?: readonly Authenticator[];
}
