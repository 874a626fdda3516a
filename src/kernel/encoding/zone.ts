/** A time zone in which instants are written. */
export interface Zone {
  /** Name of the zone in the configuration. */
  readonly id: string;
  /** Seconds by which local time is ahead of UTC at an instant, given in milliseconds since 1970. */
  offsetSecondsAt(millis: number): number;
}

/** Names of UTC in the time zone database, in lower case. */
const NAMES_OF_UTC: ReadonlySet<string> = new Set(
  ['utc', 'gmt', 'uct', 'zulu', 'universal', 'greenwich', 'gmt0', 'gmt+0', 'gmt-0'].flatMap((name) => [
    name,
    `etc/${name}`,
  ]),
);

/** The zone of an id that the key type has accepted (`timeZone()`). */
export function zoneOf(id: string): Zone {
  return NAMES_OF_UTC.has(id.toLowerCase()) ? { id, offsetSecondsAt: () => 0 } : new IntlZone(id);
}

const HOUR_MILLIS = 3_600_000;
/** The last instant (ECMA-262, time values). */
const FARTHEST_MILLIS = 8.64e15;
/** Maximum number of cached hours, which is about twelve weeks. */
const MAX_HOURS = 2000;

/** Uses the slow formatting class only for hours that are not cached. */
class IntlZone implements Zone {
  private formatter: Intl.DateTimeFormat | undefined;
  private readonly offsetOfHour = new Map<number, number>();

  constructor(readonly id: string) {}

  offsetSecondsAt(millis: number): number {
    const hour = Math.floor(millis / HOUR_MILLIS);
    const known = this.offsetOfHour.get(hour);
    if (known !== undefined) return known;
    const start = this.offsetAt(hour * HOUR_MILLIS);
    // The clocks change within this hour, not always at a full minute.
    if (start !== this.offsetAt((hour + 1) * HOUR_MILLIS)) return this.offsetAt(millis);
    if (this.offsetOfHour.size >= MAX_HOURS) this.offsetOfHour.clear();
    this.offsetOfHour.set(hour, start);
    return start;
  }

  private offsetAt(millis: number): number {
    this.formatter ??= new Intl.DateTimeFormat('en-US', { timeZone: this.id, timeZoneName: 'longOffset' });
    const shown = this.formatter.format(Math.max(-FARTHEST_MILLIS, Math.min(millis, FARTHEST_MILLIS)));
    const [, sign, hours, minutes, seconds] = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(shown) ?? [];
    const total = Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0);
    return sign === '-' ? -total : total;
  }
}
