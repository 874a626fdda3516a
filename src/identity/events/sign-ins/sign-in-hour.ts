/** The sign-ins of an hour. */
export interface SignInHour {
  /** Seconds since 1970 at the beginning of the hour (UTC). */
  readonly hour: number;
  /** Sign-ins that opened a session. */
  readonly completed: number;
  /** Wrong passwords, wrong codes or passkeys, and rejected messages of identity providers. */
  readonly failed: number;
}

export const HOUR = 3600;

/** The beginning of the hour of an instant, both in seconds since 1970. */
export function hourOf(seconds: number): number {
  return Math.floor(seconds / HOUR) * HOUR;
}
