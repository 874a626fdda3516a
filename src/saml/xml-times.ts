const DURATION = /^P(?=.)(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?=.)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.\d+)?S)?)?$/;
const INSTANT = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?)(Z|[+-]\d\d:\d\d)?$/;

/** Seconds of a positive `xs:duration`, with months of 30 and years of 365 days; undefined where it is none. */
export function durationSeconds(text: string): number | undefined {
  const match: readonly (string | undefined)[] | null = DURATION.exec(text);
  if (!match) return undefined;
  const [, years = 0, months = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = match.map((part = '0') =>
    Number(part),
  );
  return (((years * 365 + months * 30 + days) * 24 + hours) * 60 + minutes) * 60 + seconds;
}

/** Milliseconds since 1970 of an `xs:dateTime`, which SAML writes in UTC (core 1.3.3); undefined where it is none. */
export function instantMillis(text: string): number | undefined {
  const [, local, zone = 'Z'] = INSTANT.exec(text) ?? [];
  const millis = Date.parse(`${local ?? ''}${zone}`);
  return Number.isNaN(millis) ? undefined : millis;
}
