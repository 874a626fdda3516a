import { parseInstant } from '../../../config/bind/instant.js';

const DAY = /^\d{4}-\d\d-\d\d$/;
const DAY_MILLIS = 86_400_000;
const OFFSET = /GMT(?:([+-])(\d\d):(\d\d))?/;

/** The zone of a browser; UTC for a name that is none. */
export function zoneOf(name: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name || 'UTC' }).resolvedOptions().timeZone;
  } catch {
    return 'UTC';
  }
}

/** The first instant of a day in a time zone, `days` later, in milliseconds; an instant with a time is not changed. */
export function startOfDay(text: string, zone: string, days = 0): number | undefined {
  const instant = parseInstant(text);
  if (instant === undefined) return undefined;
  const later = instant + days * DAY_MILLIS;
  if (!DAY.test(text)) return later;
  // The second time uses the offset of the day itself, if clocks change between both instants.
  return later - offsetOf(later - offsetOf(later, zone), zone);
}

function offsetOf(millis: number, timeZone: string): number {
  const text = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' }).format(millis);
  const [, sign = '+', hours = '0', minutes = '0'] = OFFSET.exec(text) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}
