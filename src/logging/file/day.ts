/** A day in the zone of the process. */
export interface Day {
  /** `yyyy-MM-dd`, which sorts as days follow each other. */
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly from: number;
  /** Excluded. */
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

/** The text of the day that many days before. */
export function daysBefore({ from }: Day, days: number): string {
  const at = new Date(from);
  const before = new Date(at.getFullYear(), at.getMonth(), at.getDate() - days);
  return dayText(before.getFullYear(), before.getMonth() + 1, before.getDate());
}

function dayText(year: number, month: number, day: number): string {
  return [String(year).padStart(4, '0'), String(month).padStart(2, '0'), String(day).padStart(2, '0')].join('-');
}

/** Makes something once for each day: the same object for every instant of it. */
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
