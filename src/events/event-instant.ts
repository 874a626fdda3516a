/** Milliseconds since 1970 of a date or of a date with a time, in UTC without a zone; undefined for any other text. */
export function instantOf(text: string): number | undefined {
  const [, date, time = 'T00:00:00', zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)(?:(T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)?)?$/.exec(text) ?? [];
  const millis = date === undefined || !isDate(date) ? NaN : Date.parse(date + time + zone);
  return millis >= 0 ? millis : undefined;
}

/** False for 2026-02-31, which `Date.parse` takes for a day of March. */
function isDate(text: string): boolean {
  const midnight = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(text);
}
