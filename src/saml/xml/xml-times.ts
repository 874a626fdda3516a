const UTC = /^(\d{4}-\d\d)-(\d\d)T([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,20}))?Z$/;
const DAY_MILLIS = 86_400_000;
const DURATION = /^P(?=.)(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?=.)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.\d+)?S)?)?$/;
const DATE_TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?)(Z|[+-]\d\d:\d\d)?$/;

/** Seconds of a positive `xs:duration`, with months of 30 and years of 365 days; undefined for any other text. */
export function durationSeconds(text: string): number | undefined {
  const match: readonly (string | undefined)[] | null = DURATION.exec(text);
  if (!match) return undefined;
  const [, years = 0, months = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = match.map((part = '0') =>
    Number(part),
  );
  return (((years * 365 + months * 30 + days) * 24 + hours) * 60 + minutes) * 60 + seconds;
}

/**
 * Milliseconds since 1970 of an `xs:dateTime` of a message, in UTC; undefined for every other text. A finer fraction is
 * cut off, since senders must not rely on more than milliseconds, and there are no leap seconds (SAML core 1.3.3).
 */
export function millisOfInstant(text: string): number | undefined {
  const parts = UTC.exec(text);
  if (parts === null) return undefined;
  const [, month = '', day = '', hour = '', minute = '', second = '', fraction = ''] = parts;
  const firstOfMonth = Date.parse(`${month}-01T00:00:00.000Z`);
  const midnight = firstOfMonth + (Number(day) - 1) * DAY_MILLIS;
  // Neither 30 February nor a day 0: the day must fall into its month.
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(`${month}-${day}`)) return undefined;
  const millis = Number(fraction.padEnd(3, '0').slice(0, 3));
  return midnight + ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000 + millis;
}

/** Milliseconds since 1970 of an `xs:dateTime` in metadata, which may have another time zone or none (UTC). */
export function millisOfDateTime(text: string): number | undefined {
  const [, local, zone = 'Z'] = DATE_TIME.exec(text) ?? [];
  const millis = Date.parse(`${local ?? ''}${zone}`);
  return Number.isNaN(millis) ? undefined : millis;
}
