import type { Lock } from '../attempts/lock.js';

/** What the owner of an account may know about its TOTP secrets; instants are epoch seconds. */
export interface TotpState {
  readonly state: 'none' | 'pending' | 'active';
  readonly activatedAt?: number;
  /** A secret to be confirmed, by the session or `mfa_token` that asked for it (`askerOf`); also beside an active one. */
  readonly pending?: { readonly until: number; readonly askedBy: string };
}

/** What the owner of an account may know about its backup codes; `generatedAt` in epoch seconds. */
export interface BackupCodeState {
  readonly remaining: number;
  readonly generatedAt?: number;
  readonly isLow: boolean;
}

/** What the owner of an account may know about its second factors, and the lock that they share. */
export interface EnrolmentState extends TotpState {
  readonly backupCodes: BackupCodeState;
  readonly lock?: Lock;
}
