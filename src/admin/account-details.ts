import type { Account } from '../account/account.js';
import type { EnrolmentState } from '../second-factor/second-factor.js';

/** An account with the state of its second factor. */
export interface AccountDetails {
  readonly account: Account;
  readonly factors: EnrolmentState;
}

/** A browser that skips the second factor; instants are epoch seconds. */
export interface DeviceDetails {
  readonly id: string;
  readonly label?: string;
  readonly ip?: string;
  readonly createdAt: number;
  readonly lastUsedAt: number;
  readonly expiresAt: number;
}
