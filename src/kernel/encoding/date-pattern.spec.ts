import { describe, expect, it } from 'vitest';
import { fc } from '../../../test/support/runner/property.js';
import { compileDatePattern, PatternProblem } from './date-pattern.js';
import { zoneOf } from './zone.js';

function written(pattern: string, instant: string | number, zone = 'UTC'): string {
  const write = compileDatePattern(pattern);
  if (write instanceof PatternProblem) throw new TypeError(write.reason);
  return write(typeof instant === 'number' ? instant : Date.parse(instant), zoneOf(zone));
}

function reasonOf(pattern: string): string | undefined {
  const write = compileDatePattern(pattern);
  return write instanceof PatternProblem ? write.reason : undefined;
}

/** A Saturday. */
const MORNING = '2026-11-07T09:05:03.042Z';
const EVENING = '2026-11-07T21:45:33.900Z';
const FARTHEST = 8.64e15;

describe('a date pattern', () => {
  it.each([
    ['the year', 'y', '2026'],
    ['the last two digits of the year', 'yy', '26'],
    ['the year in at least so many digits', 'yyy yyyy yyyyy', '2026 2026 02026'],
    ['the month', 'M MM MMM MMMM MMMMM', '11 11 Nov November N'],
    ['the day', 'd dd', '7 07'],
    ['the hour of the day', 'H HH', '9 09'],
    ['the hour of the half day', 'h hh', '9 09'],
    ['the half of the day', 'a', 'AM'],
    ['minute and second', 'm mm s ss', '5 05 3 03'],
    ['fractions of a second', 'S SS SSS SSSSSS SSSSSSSSS', '0 04 042 042000 042000000'],
    ['the day of the week', 'E EE EEE EEEE EEEEE', 'Sat Sat Sat Saturday S'],
    ['no offset by Z', 'Z ZZ ZZZ ZZZZ ZZZZZ', '+0000 +0000 +0000 GMT Z'],
    ['no offset by X', 'X XX XXX XXXX XXXXX', 'Z Z Z Z Z'],
    ['the zone', 'VV', 'UTC'],
    ['signs and digits as they are', 'yyyy.MM/dd-1 ☃ 😀', '2026.11/07-1 ☃ 😀'],
    ['letters in quotes as they are', "'year 'y", 'year 2026'],
    ['a quote for two', "yy''MM", "26'11"],
    ['a quote for two inside of quotes', "'o''clock'H", "o'clock9"],
    ['a lone quote', "''''H", "'9"],
    ['ISO 8601', "yyyy-MM-dd'T'HH:mm:ss.SSSXXX", '2026-11-07T09:05:03.042Z'],
    ['what the package asks for', 'yyyy-MM-dd HH:mm:ss', '2026-11-07 09:05:03'],
  ])('writes %s like Java', (_, pattern, text) => {
    expect(written(pattern, MORNING)).toBe(text);
  });

  it.each([
    ['the afternoon', 'H h hh a', EVENING, '21 9 09 PM'],
    ['noon', 'H h a', '2026-11-07T12:00:00Z', '12 12 PM'],
    ['midnight', 'H h a', '2026-11-07T00:00:00Z', '0 12 AM'],
    ['cut fractions, which are never rounded', 'S SS', EVENING, '9 90'],
    ['the first instant of all days', 'yyyy-MM-dd HH:mm:ss.SSS', 0, '1970-01-01 00:00:00.000'],
    ['the millisecond before it', 'yyyy-MM-dd HH:mm:ss.SSS E', -1, '1969-12-31 23:59:59.999 Wed'],
    ['a leap day', 'yyyy-MM-dd', '2024-02-29T23:59:59Z', '2024-02-29'],
    ['a century without one', 'yyyy-MM-dd', '2100-03-01T00:00:00Z', '2100-03-01'],
    ['a year before 1000', 'y yy yyy yyyy', '0207-01-01T00:00:00Z', '207 07 207 0207'],
    ['a year of one digit', 'y yy yyy yyyy', '0007-01-01T00:00:00Z', '7 07 007 0007'],
    ['the year before year 1', 'y yyyy', '0000-06-01T00:00:00Z', '1 0001'],
    ['a year beyond 9999', 'y yy yyy yyyy yyyyy', '+010207-01-01T00:00:00Z', '10207 07 10207 +10207 10207'],
    ['the last instant there is', 'y-MM-dd HH', FARTHEST, '275760-09-13 00'],
    ['the first instant there is', 'y-MM-dd HH', -FARTHEST, '271822-04-20 00'],
  ])('writes %s like Java', (_, pattern, instant, text) => {
    expect(written(pattern, instant)).toBe(text);
  });

  it.each([
    ['east', 'Asia/Seoul', MORNING, '2026-11-07 18:05 +0900 GMT+09:00 +09:00 +09 +0900 +09:00'],
    ['west', 'America/New_York', MORNING, '2026-11-07 04:05 -0500 GMT-05:00 -05:00 -05 -0500 -05:00'],
    ['of half an hour', 'Asia/Kolkata', MORNING, '2026-11-07 14:35 +0530 GMT+05:30 +05:30 +0530 +0530 +05:30'],
    ['of seconds', 'Africa/Monrovia', 0, '1969-12-31 23:15 -0044 GMT-00:44:30 -00:44:30 -0044 -0044 -00:44'],
  ])('writes an offset %s like Java', (_, zone, instant, text) => {
    expect(written('yyyy-MM-dd HH:mm Z ZZZZ ZZZZZ X XX XXX', instant, zone)).toBe(text);
  });

  it('writes offsets with seconds if the letters have room for them', () => {
    expect(written('XXXX XXXXX', 0, 'Africa/Monrovia')).toBe('-004430 -00:44:30');
  });

  it.each([
    ['before clocks go forward', '2026-03-29T00:59:59.999Z', '01:59:59.999 +01:00'],
    ['after clocks went forward', '2026-03-29T01:00:00Z', '03:00:00.000 +02:00'],
    ['before clocks go back', '2026-10-25T00:59:59.999Z', '02:59:59.999 +02:00'],
    ['after clocks went back', '2026-10-25T01:00:00Z', '02:00:00.000 +01:00'],
    ['an hour after that', '2026-10-25T02:00:00Z', '03:00:00.000 +01:00'],
  ])('writes summer time %s like Java', (_, instant, text) => {
    expect(written('HH:mm:ss.SSS XXX', instant, 'Europe/Berlin')).toBe(text);
  });

  it('writes a change of clocks that is not at a full hour', () => {
    // Until 2011, the clocks changed there at one minute past midnight.
    const texts = ['2008-03-09T03:30:59Z', '2008-03-09T03:31:00Z', '2008-03-09T03:30:59Z'].map((instant) =>
      written('HH:mm XXX', instant, 'America/St_Johns'),
    );

    expect(texts).toEqual(['00:00 -03:30', '01:01 -02:30', '00:00 -03:30']);
  });

  it('writes the day of the zone if it is in another year', () => {
    expect(written('yyyy-MM-dd EEE', '2026-12-31T15:00:00Z', 'Asia/Seoul')).toBe('2027-01-01 Fri');
  });

  it('writes the first and last instants in other zones', () => {
    expect(written('y-MM-dd HH:mm', FARTHEST, 'Asia/Seoul')).toBe('275760-09-13 09:00');
    expect(written('y-MM-dd', -FARTHEST, 'America/New_York')).toBe('271822-04-19');
  });

  it('treats every name of UTC like UTC', () => {
    for (const zone of ['UTC', 'Etc/UTC', 'GMT', 'Etc/GMT', 'Zulu', 'Etc/Universal', 'gmt+0']) {
      expect(written('HH:mm XXX', MORNING, zone), zone).toBe('09:05 Z');
    }
  });
});

describe('an invalid date pattern', () => {
  it.each([
    ['k', 'yyyy kk'],
    ['Y', 'YYYY-MM-dd'],
    ['D', 'DDD'],
    ['T', 'yyyy-MM-ddTHH:mm'],
    ['z', 'HH:mm z'],
    ['c', 'com.example.DateFormat'],
    ['L', 'yyyy LLL'],
  ])('is rejected for the letter %s, which the reason names', (letter, pattern) => {
    expect(reasonOf(pattern)).toBe(
      `the pattern letter ${letter} is not supported; use one of y M d H h m s S a E Z X VV`,
    );
  });

  it.each([
    ['MMMMMM', 'the pattern letter M is repeated 6 times; at most 5 are supported'],
    ['ddd', 'the pattern letter d is repeated 3 times; at most 2 are supported'],
    ['HHH', 'the pattern letter H is repeated 3 times; at most 2 are supported'],
    ['SSSSSSSSSS', 'the pattern letter S is repeated 10 times; at most 9 are supported'],
    ['aa', 'the pattern letter a is repeated 2 times; exactly 1 are supported'],
    ['EEEEEE', 'the pattern letter E is repeated 6 times; at most 5 are supported'],
    ['ZZZZZZ', 'the pattern letter Z is repeated 6 times; at most 5 are supported'],
    ['XXXXXX', 'the pattern letter X is repeated 6 times; at most 5 are supported'],
    ['V', 'the pattern letter V is repeated 1 times; exactly 2 are supported'],
    ['VVV', 'the pattern letter V is repeated 3 times; exactly 2 are supported'],
    ['y'.repeat(11), 'the pattern letter y is repeated 11 times; at most 10 are supported'],
  ])('is rejected for a run of letters that Java does not know: %s', (pattern, reason) => {
    expect(reasonOf(pattern)).toBe(reason);
  });

  it.each([
    ['a quote without an end', "yyyy'T", "a quoted text has no closing quote; write '' for a quote"],
    [
      'a quote without an end behind a doubled one',
      "yyyy'''",
      "a quoted text has no closing quote; write '' for a quote",
    ],
    ['an optional part', 'yyyy[-MM]', '[ is reserved in Java: put it in quotes'],
    ['a reserved sign', 'yyyy#MM', '# is reserved in Java: put it in quotes'],
    ['nothing', '', 'the pattern has no letter for a part of a date'],
    ['no letter', '-', 'the pattern has no letter for a part of a date'],
    ['quoted letters only', "'yyyy'", 'the pattern has no letter for a part of a date'],
  ])('is rejected if it has %s', (_, pattern, reason) => {
    expect(reasonOf(pattern)).toBe(reason);
  });

  it('any text is either rejected or writes a date', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[yMdHhmsSaEZXVk'" [-]*$/), (pattern) => {
        const write = compileDatePattern(pattern);
        expect(write instanceof PatternProblem || typeof write(0, zoneOf('UTC')) === 'string').toBe(true);
      }),
    );
  });
});

describe('the calendar', () => {
  const anyInstant = fc.integer({ min: -FARTHEST, max: FARTHEST });
  const YEAR_10000 = Date.UTC(10_000, 0);
  const YEAR_1 = Date.parse('0001-01-03T00:00:00Z');
  const commonInstant = fc.oneof(
    fc.integer({ min: YEAR_1, max: YEAR_10000 - 2 * 86_400_000 }),
    fc.integer({ min: Date.UTC(1970, 0), max: Date.UTC(2040, 0) }),
  );

  it('equals the calendar of JavaScript at every instant', () => {
    fc.assert(
      fc.property(anyInstant, (millis) => {
        const date = new Date(millis);
        const iso = date.toISOString();
        const year = date.getUTCFullYear() > 0 ? date.getUTCFullYear() : 1 - date.getUTCFullYear();

        expect(written("y-MM-dd'T'HH:mm:ss.SSSX", millis)).toBe(iso.replace(/^[+-]?\d+/, String(year)));
        expect(written('E', millis)).toBe(date.toUTCString().slice(0, 3));
      }),
    );
  });

  it('equals the calendar of Intl in every zone', () => {
    const clocks = new Map<string, Intl.DateTimeFormat>();
    const clockOf = (timeZone: string): Intl.DateTimeFormat => {
      const date = { timeZone, year: 'numeric', month: '2-digit', day: '2-digit', weekday: 'long' } as const;
      const time = { hourCycle: 'h23', hour: '2-digit', minute: '2-digit', second: '2-digit' } as const;
      const clock = clocks.get(timeZone) ?? new Intl.DateTimeFormat('en-GB', { ...date, ...time });
      clocks.set(timeZone, clock);
      return clock;
    };
    const zones = ['Asia/Seoul', 'Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe', 'Asia/Kathmandu'];
    fc.assert(
      fc.property(commonInstant, fc.constantFrom(...zones, '+09:30', 'America/Sao_Paulo'), (millis, zone) => {
        const parts = new Map(
          clockOf(zone)
            .formatToParts(millis)
            .map(({ type, value }) => [type, value]),
        );
        const expected = ['year', 'month', 'day', 'hour', 'minute', 'second', 'weekday'] as const;

        expect(written('y MM dd HH mm ss EEEE', millis, zone)).toBe(expected.map((type) => parts.get(type)).join(' '));
      }),
    );
  });
});
