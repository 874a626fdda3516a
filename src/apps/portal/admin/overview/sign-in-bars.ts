import { HOUR, hourOf, type SignInHour } from '../../../../identity/events/sign-ins/sign-in-hour.js';
import type { SignInBar } from './sign-in-chart.js';

const DAY = 24 * HOUR;

/** The last 24 hours, oldest first; `now` in seconds since 1970. */
export function lastDay(hours: readonly SignInHour[], now: number): readonly SignInBar[] {
  return bars(hours, { end: hourOf(now) + HOUR, number: 24, step: HOUR }, (at) => at.toISOString().slice(11, 16));
}

/** The last 30 days (UTC), oldest first. */
export function lastMonth(hours: readonly SignInHour[], now: number): readonly SignInBar[] {
  const end = (Math.floor(now / DAY) + 1) * DAY;
  return bars(hours, { end, number: 30, step: DAY }, (at) => at.toISOString().slice(0, 10));
}

function bars(
  hours: readonly SignInHour[],
  { end, number, step }: { readonly end: number; readonly number: number; readonly step: number },
  label: (at: Date) => string,
): readonly SignInBar[] {
  const start = end - number * step;
  return Array.from({ length: number }, (_, index) => {
    const from = start + index * step;
    const inside = hours.filter(({ hour }) => hour >= from && hour < from + step);
    return {
      label: label(new Date(from * 1000)),
      completed: inside.reduce((total, { completed }) => total + completed, 0),
      failed: inside.reduce((total, { failed }) => total + failed, 0),
    };
  });
}
