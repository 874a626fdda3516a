/** The one source of time: instants of tokens, locks and steps come from here, never from the database. */
export abstract class Clock {
  /** Milliseconds since 1970. */
  abstract millis(): number;

  /** Whole seconds since 1970, the unit of everything that is stored. */
  seconds(): number {
    return Math.floor(this.millis() / 1000);
  }
}

/** The clock of the machine. */
export class SystemClock extends Clock {
  millis(): number {
    return Date.now();
  }
}

const JANUARY = Date.UTC(2026, 0);
const JULY = Date.UTC(2026, 6);

/** True if local time is UTC all year, whatever the name of the zone; avoids the slow formatting classes. */
export function isLocalTimeUtc(): boolean {
  return [JANUARY, JULY].every((instant) => new Date(instant).getTimezoneOffset() === 0);
}

/** True if local time has the offsets of the zone in winter and in summer. */
export function isLocalTime(zone: { readonly offsetSecondsAt: (millis: number) => number }): boolean {
  return [JANUARY, JULY].every((instant) => localOffsetSeconds(instant) === zone.offsetSecondsAt(instant));
}

/** Seconds by which local time is ahead of UTC at an instant, given in milliseconds since 1970. */
export function localOffsetSeconds(millis: number): number {
  return new Date(millis).getTimezoneOffset() * -60;
}
