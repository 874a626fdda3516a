import { hostAndPort } from './host-and-port.js';
import { isNode } from './addresses.js';

/** The parameters that one proxy added; names in lower case. */
export type ForwardedElement = ReadonlyMap<string, string>;

/** An optional pair and its separator; quoted text may contain separators. The pattern matches in linear time. */
const PAIR =
  /[ \t]*(?:([!#$%&'*+.^_`|~\w-]+)=(?:([!#$%&'*+.^_`|~\w-]+)|"((?:[\t \x21\x23-\x5b\x5d-\x7e\x80-\xff]|\\[\t \x21-\x7e\x80-\xff])*)")[ \t]*)?([;,]|$)/y;

const RULES: ReadonlyMap<string, (value: string) => boolean> = new Map([
  ['for', isNode],
  ['by', isNode],
  ['host', (value: string) => hostAndPort(value) !== undefined],
  ['proto', (value: string) => /^[a-z][a-z\d+.-]*$/i.test(value)],
]);

/**
 * Parses `Forwarded` (RFC 7239 section 4); several lines are joined by commas. Returns the elements from the first
 * proxy to the last, or undefined if any part is malformed, because the rest cannot be attributed to a proxy then.
 */
export function parseForwarded(header: string): readonly ForwardedElement[] | undefined {
  const elements: ForwardedElement[] = [];
  let element = new Map<string, string>();
  for (let at = 0; at <= header.length; at = PAIR.lastIndex) {
    PAIR.lastIndex = at;
    const match = PAIR.exec(header);
    if (!match) return undefined;
    const [, name, token, quoted = '', end] = match;
    if (name !== undefined && !add(element, name.toLowerCase(), token ?? quoted.replaceAll(/\\(.)/g, '$1'))) {
      return undefined;
    }
    if (end !== ';') {
      // Lists may have empty elements (RFC 9110 section 5.6.1.2).
      if (element.size > 0) elements.push(element);
      element = new Map();
    }
    if (end === '') break;
  }
  return elements;
}

/** False if the value is invalid for its name, or the name is repeated. */
function add(element: Map<string, string>, name: string, value: string): boolean {
  if (element.has(name) || RULES.get(name)?.(value) === false) return false;
  element.set(name, value);
  return true;
}
