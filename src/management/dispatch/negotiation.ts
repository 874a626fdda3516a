import Negotiator from 'negotiator';

/** The media types of JSON, the preferred one first (management API, "Media types"). */
export const JSON_V3 = 'application/vnd.spring-boot.actuator.v3+json';
export const JSON_V2 = 'application/vnd.spring-boot.actuator.v2+json';
export const JSON_PLAIN = 'application/json';
export const JSON_TYPES: readonly string[] = [JSON_V3, JSON_V2, JSON_PLAIN];

/** The parameter `charset`, which is ignored: every text response is UTF-8. */
const CHARSET = /;\s*charset\s*=\s*(?:"[^"]*"|[^;,]*)/gi;
/**
 * A quoted text, whose commas separate no ranges; no offered type has such a parameter. A text without a closing quote extends
 * to the end of the header: otherwise a search would start again at each of its quotes.
 */
const QUOTED = /"(?:[^"\\]|\\.?)*(?:"|$)/g;
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
  const ranges = accept
    .replaceAll(CHARSET, '')
    .replaceAll(QUOTED, (text) => text.replaceAll(/[,;"\\]/g, ''))
    .split(',', MAX_RANGES);
  const weights = offered.map((type) => weightOf(type, ranges));
  const highest = Math.max(...weights);
  return highest > 0 ? offered[weights.indexOf(highest)] : undefined;
}

/** The weight that the most specific range gives to a type (RFC 9110 section 12.5.1); 0 if none matches. */
function weightOf(type: string, ranges: readonly string[]): number {
  let [highest, weight] = [-Infinity, 0];
  for (const range of ranges) {
    const [, text = '1'] = WEIGHT.exec(range) ?? [];
    const bare = withCommonParameters(range.replace(WEIGHT, ''), type);
    if (new Negotiator({ headers: { accept: bare } }).mediaType([type]) === undefined) continue;
    // Each parameter makes a range more specific, each `*` less.
    const specificity = bare.split(';').length - bare.split('*').length;
    if (specificity > highest) [highest, weight] = [specificity, Number.parseFloat(text) || 0];
  }
  return weight;
}

/**
 * The range without the parameters that the type does not have, such as `odata` or `escaping` (RFC 9110 section 12.5.1 leaves
 * extensions to their receiver; Spring compares the parameters of both). A parameter of both must be equal.
 */
function withCommonParameters(range: string, type: string): string {
  const [, ...known] = type.split(';').map(nameOf);
  return range
    .split(';')
    .filter((part, at) => at === 0 || known.includes(nameOf(part)))
    .join(';');
}

function nameOf(parameter: string): string {
  return parameter.replace(/=.*$/s, '').trim().toLowerCase();
}
