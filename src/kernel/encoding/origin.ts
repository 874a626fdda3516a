/**
 * Parses a text that is an origin, with or without a slash at its end. Returns it as browsers write it (URL standard,
 * "origin"): in lower case, without the default port. Undefined for any other text.
 */
export function originOf(value: string): string | undefined {
  if (!/^https?:\/\/[^\s/?#@\\*]+\/?$/i.test(value)) return undefined;
  return URL.parse(value)?.origin;
}
