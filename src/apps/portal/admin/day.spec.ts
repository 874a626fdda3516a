import { expect, it } from 'vitest';
import { startOfDay, zoneOf } from './day.js';

it.each([
  ['2026-11-30', 'UTC', 0, '2026-11-30T00:00:00.000Z'],
  ['2026-11-30', 'Asia/Seoul', 0, '2026-11-29T15:00:00.000Z'],
  ['2026-11-30', 'Asia/Seoul', 1, '2026-11-30T15:00:00.000Z'],
  ['2026-11-30', 'America/New_York', 0, '2026-11-30T05:00:00.000Z'],
  ['2026-11-30', 'Asia/Kolkata', 0, '2026-11-29T18:30:00.000Z'],
  ['2026-03-08', 'America/New_York', 0, '2026-03-08T05:00:00.000Z'],
  ['2026-03-08', 'America/New_York', 1, '2026-03-09T04:00:00.000Z'],
  ['2026-11-01', 'America/New_York', 1, '2026-11-02T05:00:00.000Z'],
])('U14: the day %s in %s, %i later, begins at its own midnight', (day, zone, days, instant) => {
  expect(startOfDay(day, zone, days)).toBe(Date.parse(instant));
});

it('U14: a text that is no day has no start', () => {
  expect(startOfDay('yesterday', 'UTC')).toBeUndefined();
});

it('U14: a zone that does not exist is UTC', () => {
  expect([zoneOf('Mars/Olympus'), zoneOf(''), zoneOf('Asia/Seoul')]).toEqual(['UTC', 'UTC', 'Asia/Seoul']);
});
