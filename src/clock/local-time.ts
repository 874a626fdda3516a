const JANUARY = Date.UTC(2026, 0);
const JULY = Date.UTC(2026, 6);

/** True where local time is UTC all year, whatever the zone is called; asks nothing of the slow formatting classes. */
export function isLocalTimeUtc(): boolean {
  return [JANUARY, JULY].every((instant) => new Date(instant).getTimezoneOffset() === 0);
}

/** Seconds that local time is ahead of UTC at an instant, given in milliseconds since 1970. */
export function localOffsetSeconds(millis: number): number {
  return new Date(millis).getTimezoneOffset() * -60;
}
