const UTC = /^(\d{4}-\d\d)-(\d\d)T([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,20}))?Z$/;
const DAY_MILLIS = 86_400_000;

/**
 * Milliseconds since 1970 of an xs:dateTime in UTC; undefined for every other text. A finer fraction is cut off, since nobody
 * may rely on more than milliseconds, and there are no leap seconds (SAML core 1.3.3).
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
