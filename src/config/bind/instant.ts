import { ConversionProblem } from '../problem.js';
import type { ScalarType } from './key-type.js';

const FORM = /^(\d{4}-\d\d-\d\d)(?:(T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)?)?$/;

/** A date, or a date with a time, in milliseconds since 1970; without a zone in UTC. Undefined for any other text. */
export function parseInstant(text: string): number | undefined {
  const [, date, time = 'T00:00:00', zone = 'Z'] = FORM.exec(text) ?? [];
  const millis = date === undefined || !isDate(date) ? NaN : Date.parse(date + time + zone);
  return millis >= 0 ? millis : undefined;
}

/** An instant in milliseconds since 1970. */
export function instant(): ScalarType<number> {
  return {
    shape: 'scalar',
    name: 'instant',
    expects: 'a date such as 2027-03-01, or a time such as 2027-03-01T08:00:00+01:00; without a zone in UTC',
    parse: (text) => parseInstant(text.trim()) ?? new ConversionProblem('not a date or a time'),
    format: (millis) => new Date(millis).toISOString(),
  };
}

/** False for 2026-02-31, which `Date.parse` takes for a day of March. */
function isDate(text: string): boolean {
  const midnight = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(text);
}
