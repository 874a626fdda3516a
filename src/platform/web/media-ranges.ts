import Negotiator from 'negotiator';

const RANGE = /[^\s/,;]\/[^\s/,;]/;
/** Parameters of a range except its weight: no media type offered here has parameters that a caller may choose. */
const PARAMETERS = /;(?!\s*q\s*=)[^;,]*/gi;

/**
 * True if `Accept` allows a media type (RFC 9110 section 12.5.1). A text without any media range allows everything.
 * `application/json` also decides about `application/…+json`, unless a range names that type.
 */
export function acceptsType(accept: string | undefined, offered: string): boolean {
  if (accept === undefined || accept === '*/*' || !RANGE.test(accept)) return true;
  const ranges = accept.replaceAll(PARAMETERS, '').toLowerCase();
  const type = offered.replace(/\s*;.*$/s, '').toLowerCase();
  const isNamed = ranges.split(',').some((range) => range.replace(/;.*$/s, '').trim() === type);
  const judged = type.endsWith('+json') && !isNamed ? 'application/json' : type;
  return new Negotiator({ headers: { accept: ranges } }).mediaType([judged]) !== undefined;
}
