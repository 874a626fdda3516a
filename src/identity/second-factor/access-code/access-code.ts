/** A new temporary access code, which is shown once. */
export interface IssuedAccessCode {
  readonly code: string;
  /** Epoch seconds. */
  readonly expiresAt: number;
}
