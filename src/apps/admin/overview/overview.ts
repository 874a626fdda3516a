import type { AccountStatistics } from '../../../identity/account/account-statistics.js';
import type { SignInHour } from '../../../identity/events/sign-ins/sign-in-hour.js';
import type { Replica } from '../../../management/replicas/replica.js';

/** When policy demands a second factor; times are in seconds since 1970. */
export interface PolicyFacts {
  readonly policy: 'required' | 'by-role' | 'optional';
  readonly requiredRoles: readonly string[];
  /** Set while the policy is not in effect. */
  readonly policyFrom?: number;
  /** The roles that need a passkey; empty for every account, undefined for none. */
  readonly passkeyRoles?: readonly string[];
  /** Set while the demand for passkeys is not in effect. */
  readonly passkeysFrom?: number;
}

/** A certificate that the service or an identity provider uses. */
export interface ListedCertificate {
  /** The name of the bundle or of the identity provider. */
  readonly name: string;
  readonly user: 'bundle' | 'idp';
  /** Seconds since 1970; undefined if the certificate cannot be read. */
  readonly endsAt?: number;
  /** True from a month before the end on, or if the certificate cannot be read. */
  readonly isDue: boolean;
}

/** The state of the instances and of what they send, for administrators. */
export interface SystemState {
  readonly mails: { readonly waiting: number; readonly failed: number };
  readonly deliveries: { readonly pending: number; readonly dead: number };
  readonly replicas: readonly Replica[];
  /** Those that end first come first. */
  readonly certificates: readonly ListedCertificate[];
}

/** The state of accounts and sign-ins. */
export interface Overview {
  /** Seconds since 1970. */
  readonly at: number;
  readonly accounts: AccountStatistics;
  /** Accounts whose second factor is locked. */
  readonly locked: number;
  readonly policy: PolicyFacts;
  /** The last month, oldest first. */
  readonly signIns: readonly SignInHour[];
}
