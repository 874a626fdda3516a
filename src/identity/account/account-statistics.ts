/** Accounts by what administrators look for; the accounts of an unfinished import are not among them. */
export interface AccountStatistics {
  readonly all: number;
  readonly disabled: number;
  /** Accounts of identity providers. */
  readonly staff: number;
  /** Invitations that are not accepted. */
  readonly invited: number;
  readonly withApp: number;
  readonly withPasskey: number;
  /** Accounts with an app and a passkey; `withApp` and `withPasskey` contain them. */
  readonly withBoth: number;
  /** Active accounts with a password that lack the second factor that policy demands, now or from its date. */
  readonly unready: number;
}

/** The accounts that policy concerns: all, or those with one of these roles. */
export type ConcernedRoles = 'all' | readonly string[];

/** The second factors that policy demands, now or from its date. */
export interface FactorDemand {
  /** The accounts that need any second factor; the others need one if it is required of the account itself. */
  readonly factor: ConcernedRoles;
  /** The accounts that need a passkey. */
  readonly passkey: ConcernedRoles;
}
