import Negotiator from 'negotiator';

/** The media types of JSON, the preferred one first (management API, "Media types"). */
export const JSON_V3 = 'application/vnd.spring-boot.actuator.v3+json';
export const JSON_V2 = 'application/vnd.spring-boot.actuator.v2+json';
export const JSON_PLAIN = 'application/json';
export const JSON_TYPES: readonly string[] = [JSON_V3, JSON_V2, JSON_PLAIN];

/** Ignored, since every text response is UTF-8. */
const CHARSET = /;\s*charset\s*=\s*(?:"[^"]*"|[^;,]*)/gi;
/** Matches only around the slash: a pattern for the whole range would backtrack over each letter of a long word. */
const RANGE = /[^\s/,;]\/[^\s/,;]/;

/** The weight of a range (RFC 9110 section 12.4.2), which Negotiator does not expose. */
const WEIGHT = /;\s*q\s*=\s*([\d.]+)/i;
/** Ranges beyond this number are ignored. */
const MAX_RANGES = 50;

/**
 * The media type of a response: of those offered, the one with the highest weight in `Accept`, and the first of equals.
 * Undefined if `Accept` admits none of them. A header that is not a list of media ranges is ignored.
 */
export function negotiate(accept: string | undefined, offered: readonly string[]): string | undefined {
  if (accept === undefined || accept === '*/*' || !RANGE.test(accept)) return offered[0];
  const ranges = accept.replaceAll(CHARSET, '').split(',', MAX_RANGES);
  const weights = offered.map((type) => weightOf(type, ranges));
  const highest = Math.max(...weights);
  return highest > 0 ? offered[weights.indexOf(highest)] : undefined;
}

/** The weight that the most specific range gives to a type (RFC 9110 section 12.5.1); 0 if none matches. */
function weightOf(type: string, ranges: readonly string[]): number {
  let [most, weight] = [-Infinity, 0];
  for (const range of ranges) {
    const [, given = '1'] = WEIGHT.exec(range) ?? [];
    const bare = range.replace(WEIGHT, '');
    if (new Negotiator({ headers: { accept: bare } }).mediaType([type]) === undefined) continue;
    // Each parameter makes a range more specific, each `*` less.
    const specificity = bare.split(';').length - bare.split('*').length;
    if (specificity > most) [most, weight] = [specificity, Number.parseFloat(given) || 0];
  }
  return weight;
}
