import Negotiator from 'negotiator';

/** Says nothing to us: all of our texts are UTF-8. */
const CHARSET = /;\s*charset\s*=\s*(?:"[^"]*"|[^;,]*)/gi;
/** Its two ends only: a search for the whole of a long word would start anew at each of its letters. */
const RANGE = /[^\s/,;]\/[^\s/,;]/;

/** Weight of a range (RFC 9110 section 12.4.2); Negotiator does not tell it. */
const WEIGHT = /;\s*q\s*=\s*([\d.]+)/i;
/** No client has a reason to send more. */
const MAX_RANGES = 50;

/**
 * The media type of an answer: of those offered, the one with the highest weight in `Accept`; among equals the first one
 * offered. Undefined if `Accept` takes none of them. Text that is no list of ranges asks for nothing.
 */
export function negotiate(accept: string | undefined, offered: readonly string[]): string | undefined {
  if (accept === undefined || accept === '*/*' || !RANGE.test(accept)) return offered[0];
  const ranges = accept.replaceAll(CHARSET, '').split(',', MAX_RANGES);
  const weights = offered.map((type) => weightOf(type, ranges));
  const highest = Math.max(...weights);
  return highest > 0 ? offered[weights.indexOf(highest)] : undefined;
}

/** The weight that the most specific range gives to a type (RFC 9110 section 12.5.1); 0 if none takes it. */
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
