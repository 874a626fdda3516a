import type { AuthenticatorType } from '../../../identity/second-factor/factor-state.js';
import type { Authenticator } from '../../../identity/second-factor/factor-state.js';

/** When policy begins to demand something, in epoch seconds, and the whole days until then. */
export interface PolicyDate {
  readonly from: number;
  readonly days: number;
}

/** Facts about the second factor that pages show to its user; instants are epoch seconds. */
export interface SecondFactorSummary {
  readonly isActive: boolean;
  readonly activatedAt?: number;
  /** The authenticators, oldest first. */
  readonly authenticators: readonly Authenticator[];
  /** True if the service accepts passkeys, including those of the account. */
  readonly arePasskeysUsable: boolean;
  /** The types of which the account may have more authenticators. */
  readonly addable: readonly AuthenticatorType[];
  readonly codesLeft: number;
  readonly isLow: boolean;
  /** True if policy requires a second factor, so that the user cannot turn it off. */
  readonly isDemanded: boolean;
  /** True if policy requires a passkey for each login. */
  readonly isPasskeyDemanded: boolean;
  /** When policy begins to demand a second factor, for a user without one. */
  readonly policy?: PolicyDate;
  /** When policy begins to demand a passkey, for a user without one. */
  readonly passkeyPolicy?: PolicyDate;
  /** The identity provider of staff, which may check a second factor itself. */
  readonly organisation?: string;
}
