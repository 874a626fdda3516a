/** Facts about the own second factor that pages show to a user; instants are epoch seconds. */
export interface SecondFactorSummary {
  readonly isActive: boolean;
  readonly activatedAt?: number;
  readonly codesLeft: number;
  readonly isLow: boolean;
  /** Policy demands it, so the user cannot turn it off. */
  readonly isDemanded: boolean;
  /** When policy begins to demand it, and the whole days until then, for a user without one. */
  readonly policy?: { readonly from: number; readonly days: number };
  /** The identity provider of staff, which may check a second factor itself. */
  readonly organisation?: string;
}
