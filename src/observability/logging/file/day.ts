/** A day in the time zone of the process. */
export interface Day {
  /** `yyyy-MM-dd`, so that days sort by time. */
  readonly text: string;
  /** Start in milliseconds since 1970. */
  readonly from: number;
  /** End in milliseconds since 1970, exclusive. */
  readonly until: number;
}

export function dayAt(millis: number): Day {
  const at = new Date(millis);
  const [year, month, day] = [at.getFullYear(), at.getMonth(), at.getDate()];
  return {
    text: dayText(year, month + 1, day),
    from: new Date(year, month, day).getTime(),
    until: new Date(year, month, day + 1).getTime(),
  };
}

/** Returns the text of the day that is `days` before. */
export function daysBefore({ from }: Day, days: number): string {
  const at = new Date(from);
  const before = new Date(at.getFullYear(), at.getMonth(), at.getDate() - days);
  return dayText(before.getFullYear(), before.getMonth() + 1, before.getDate());
}

function dayText(year: number, month: number, day: number): string {
  return [String(year).padStart(4, '0'), String(month).padStart(2, '0'), String(day).padStart(2, '0')].join('-');
}

/** Caches one object per day, for every instant of that day. */
export function perDay<T>(make: (day: Day) => T): (millis: number) => T {
  let day: Day | undefined;
  let made: T | undefined;
  return (millis) => {
    if (day && made !== undefined && millis >= day.from && millis < day.until) return made;
    day = dayAt(millis);
    made = make(day);
    return made;
  };
}
