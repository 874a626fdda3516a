/**
 * The origin of a text that is nothing but an origin, as browsers write it (URL standard, "origin"): lower case, without the
 * default port. A slash at the end is the path of every such address. Undefined for any other text.
 */
export function originOf(value: string): string | undefined {
  if (!/^https?:\/\/[^\s/?#@\\*]+\/?$/i.test(value)) return undefined;
  return URL.parse(value)?.origin;
}
