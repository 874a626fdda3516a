import Negotiator from 'negotiator';

/** Says nothing to us: all of our texts are UTF-8. */
const CHARSET = /;\s*charset\s*=\s*(?:"[^"]*"|[^;,]*)/gi;
/** Its two ends only: a search for the whole of a long word would start anew at each of its letters. */
const RANGE = /[^\s/,;]\/[^\s/,;]/;

/**
 * The media type of an answer: of those offered, the one that `Accept` prefers, and the first one where that says
 * nothing; undefined where it takes none of them. Text that is no list of ranges asks for nothing.
 */
export function chosenType(accept: string | undefined, offered: readonly string[]): string | undefined {
  if (accept === undefined || accept === '*/*' || !RANGE.test(accept)) return offered[0];
  const asked = accept.replaceAll(CHARSET, '');
  return new Negotiator({ headers: { accept: asked } }).mediaType(offered);
}
