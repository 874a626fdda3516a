import type { Zone } from './zone.js';

/** The reason why a text is not a date pattern, without the text itself. */
export class PatternProblem {
  constructor(readonly reason: string) {}
}

/** Writes an instant, given in milliseconds since 1970, as local time of a zone. */
export type WriteInstant = (millis: number, zone: Zone) => string;

/** An instant in the local calendar of a zone. */
interface Local {
  /** Calendar year; 0 is the year before year 1. */
  readonly year: number;
  /** 0 to 11. */
  readonly month: number;
  readonly day: number;
  /** 0 is Sunday. */
  readonly weekday: number;
  readonly secondOfDay: number;
  readonly milli: number;
  /** Seconds ahead of UTC. */
  readonly offset: number;
  readonly zone: string;
}

type Part = (local: Local) => string;

interface Letter {
  /** Permitted lengths of a run of the letter. */
  readonly min?: number;
  readonly max: number;
  readonly part: (run: number) => Part;
}

const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
];
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** Letters and run lengths mean what they do in `java.time.format.DateTimeFormatter`, in English. */
const LETTERS: Readonly<Record<string, Letter>> = {
  y: { max: 10, part: yearPart },
  M: { max: 5, part: (run) => (run < 3 ? numberPart(run, ({ month }) => month + 1) : namePart(run, MONTHS, 'month')) },
  d: { max: 2, part: (run) => numberPart(run, ({ day }) => day) },
  H: { max: 2, part: (run) => numberPart(run, hourOf) },
  h: { max: 2, part: (run) => numberPart(run, (local) => hourOf(local) % 12 || 12) },
  m: { max: 2, part: (run) => numberPart(run, ({ secondOfDay }) => Math.floor(secondOfDay / 60) % 60) },
  s: { max: 2, part: (run) => numberPart(run, ({ secondOfDay }) => secondOfDay % 60) },
  S: { max: 9, part: fractionPart },
  a: { max: 1, part: () => (local) => (hourOf(local) < 12 ? 'AM' : 'PM') },
  E: { max: 5, part: (run) => namePart(run, DAYS, 'weekday') },
  Z: { max: 5, part: offsetPartOfZ },
  X: { max: 5, part: (run) => (local) => offsetText(local.offset, run) || 'Z' },
  V: { min: 2, max: 2, part: () => (local) => local.zone },
};
/** The letters for error messages. */
export const PATTERN_LETTERS = 'y M d H h m s S a E Z X VV';

/** A text between quotes, in which two quotes mean one; a run of one letter; anything else. */
const TOKEN = /'(?<quoted>(?:[^']|'')*)'|(?<run>(?<letter>[A-Za-z])\k<letter>*)|(?<other>.)/gsu;

/** Creates a writer for a date pattern; a pattern that Java rejects or that is not implemented is a problem. */
export function compileDatePattern(pattern: string): WriteInstant | PatternProblem {
  const parts: (string | Part)[] = [];
  for (const { groups = {} } of pattern.matchAll(TOKEN)) {
    const { quoted, run, other } = groups;
    const part = run === undefined ? literalOf(quoted, other) : partOf(run);
    if (part instanceof PatternProblem) return part;
    parts.push(part);
  }
  if (parts.every((part) => typeof part === 'string'))
    return new PatternProblem('the pattern has no letter for a part of a date');
  return (millis, zone) => {
    const local = localTime(millis, zone);
    let text = '';
    for (const part of parts) text += typeof part === 'string' ? part : part(local);
    return text;
  };
}

function literalOf(quoted: string | undefined, other = ''): string | PatternProblem {
  if (quoted !== undefined) return quoted === '' ? "'" : quoted.replaceAll("''", "'");
  if (other === "'") return new PatternProblem("a quoted text has no closing quote; write '' for a quote");
  return /[[\]{}#]/.test(other) ? new PatternProblem(`${other} is reserved in Java: put it in quotes`) : other;
}

function partOf(run: string): Part | PatternProblem {
  const name = run.charAt(0);
  const letter = Object.hasOwn(LETTERS, name) ? LETTERS[name] : undefined;
  if (!letter) return new PatternProblem(`the pattern letter ${name} is not supported; use one of ${PATTERN_LETTERS}`);
  const { min = 1, max, part } = letter;
  if (run.length >= min && run.length <= max) return part(run.length);
  const lengths = min === max ? `exactly ${max}` : `at most ${max}`;
  return new PatternProblem(`the pattern letter ${name} is repeated ${run.length} times; ${lengths} are supported`);
}

const DAY_MILLIS = 86_400_000;
const DAYS_OF_400_YEARS = 146_097;
/** Days from 1 March of year 0 to 1 January 1970. */
const EPOCH_DAY = 719_468;

/** Computes the local time without a `Date`, which cannot represent the offset at the ends of its range. */
function localTime(millis: number, zone: Zone): Local {
  const offset = zone.offsetSecondsAt(millis);
  const local = millis + offset * 1000;
  const epochDay = Math.floor(local / DAY_MILLIS);
  const milliOfDay = local - epochDay * DAY_MILLIS;
  // Years begin in March, so that the day that leap years add is the last one.
  const shifted = epochDay + EPOCH_DAY;
  const era = Math.floor(shifted / DAYS_OF_400_YEARS);
  const dayOfEra = shifted - era * DAYS_OF_400_YEARS;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const month = (monthFromMarch + 2) % 12;
  return {
    year: yearOfEra + era * 400 + (month < 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1,
    weekday: (((epochDay + 4) % 7) + 7) % 7,
    secondOfDay: Math.floor(milliOfDay / 1000),
    milli: milliOfDay % 1000,
    offset,
    zone: zone.id,
  };
}

function hourOf({ secondOfDay }: Local): number {
  return Math.floor(secondOfDay / 3600);
}

function numberPart(run: number, value: (local: Local) => number): Part {
  return (local) => padded(value(local), run);
}

/** Writes the year of the era, which is 1 for the year before year 1; with a sign if it has more digits than letters. */
function yearPart(run: number): Part {
  return ({ year }) => {
    const ofEra = year > 0 ? year : 1 - year;
    if (run === 2) return padded(ofEra % 100, 2);
    const digits = padded(ofEra, run);
    return run > 3 && digits.length > run ? `+${digits}` : digits;
  };
}

function namePart(run: number, names: readonly string[], of: 'month' | 'weekday'): Part {
  const length = run === 4 ? undefined : run === 5 ? 1 : 3;
  const shown = names.map((name) => name.slice(0, length));
  return (local) => shown[local[of]] ?? '';
}

function fractionPart(run: number): Part {
  return ({ milli }) => padded(milli, 3).padEnd(run, '0').slice(0, run);
}

function offsetPartOfZ(run: number): Part {
  // Z has the forms of X, but writes an offset of zero in another way.
  if (run === 5) return ({ offset }) => offsetText(offset, 5) || 'Z';
  if (run === 4) return ({ offset }) => `GMT${offsetText(offset, 5)}`;
  return ({ offset }) => offsetText(offset, 2) || '+0000';
}

/**
 * Writes an offset in the form that a run of X has: hours; minutes (run 1: only if they are not zero); seconds (runs 4 and
 * 5, if they are not zero); with colons (runs 3 and 5). Empty if all of them are zero.
 */
function offsetText(offset: number, run: number): string {
  const total = Math.abs(offset);
  const [hours, minutes] = [Math.floor(total / 3600), Math.floor(total / 60) % 60];
  const seconds = run > 3 ? total % 60 : 0;
  if (hours + minutes + seconds === 0) return '';
  const shown = [hours, ...(run > 1 || minutes > 0 ? [minutes] : []), ...(seconds > 0 ? [seconds] : [])];
  const separator = run === 3 || run === 5 ? ':' : '';
  return `${offset < 0 ? '-' : '+'}${shown.map((number) => padded(number, 2)).join(separator)}`;
}

function padded(number: number, digits: number): string {
  return String(number).padStart(digits, '0');
}
