import type { StepOffset } from './totp/totp.js';

/** A second factor that has just been proven, and the roles its account has by then. */
export type Proof = { readonly roles: readonly string[] } & (
  | { readonly method: 'totp'; readonly offset: StepOffset }
  | { readonly method: 'backup_code'; readonly remaining: number; readonly isLow: boolean }
);
