import type { ScalarType } from '../../../config/bind/key-type.js';
import { ConversionProblem } from '../../../config/problem.js';

/** Placeholders of a pattern. No placeholder shows a query string, a cookie or a header that can carry a secret. */
const PLACEHOLDERS = {
  '%a': 'address of the caller',
  '%h': 'the same',
  '%A': 'address on this side of the connection',
  '%p': 'port on this side of the connection',
  '%l': 'always -',
  '%u': 'subject of the caller, once authenticated',
  '%t': 'time at which the response ended',
  '%r': 'method, path and protocol',
  '%m': 'method',
  '%U': 'path',
  '%H': 'protocol',
  '%s': 'status',
  '%b': 'bytes of the response body, - without a body',
  '%B': 'bytes of the response body, 0 without a body',
  '%D': 'milliseconds the request took',
  '%T': 'seconds the request took, with three decimals',
  '%I': 'thread, always main',
  '%{Referer}i': 'header Referer without its query',
  '%{User-Agent}i': 'header User-Agent',
  '%{X-Request-Id}o': 'id of the request',
} as const;

export type Placeholder = keyof typeof PLACEHOLDERS;

/** A piece of a line: fixed text, or a placeholder. A value may contain spaces only between quotation marks. */
type Piece = { readonly text: string } | { readonly placeholder: Placeholder; readonly isQuoted: boolean };

export interface AccessPattern {
  /** The pattern as configured. */
  readonly name: string;
  readonly pieces: readonly Piece[];
}

const COMMON = '%h %l %u %t "%r" %s %b';
const NAMED: Readonly<Record<string, string>> = {
  common: COMMON,
  combined: `${COMMON} "%{Referer}i" "%{User-Agent}i"`,
};

const BY_UNIFORM = new Map(
  (Object.keys(PLACEHOLDERS) as Placeholder[]).map((placeholder) => [uniform(placeholder), placeholder]),
);
const UNKNOWN = `no such placeholder; there are ${Object.keys(PLACEHOLDERS).join(' ')}, and %% for a percent sign`;

/** Parses a placeholder: header names are case-insensitive, letters are not. */
function uniform(placeholder: string): string {
  return placeholder.replace(/\{.*\}/, (name) => name.toLowerCase());
}

/** Parses `common`, `combined`, or placeholders with text between them. */
export const accessPattern: ScalarType<AccessPattern> = {
  shape: 'scalar',
  name: 'access log pattern',
  expects: `common, combined, or a pattern of the placeholders ${Object.keys(PLACEHOLDERS).join(' ')}`,
  parse: parsePattern,
  format: ({ name }) => name,
};

function parsePattern(name: string): AccessPattern | ConversionProblem {
  const pattern = NAMED[name.trim()] ?? name;
  if (/[^\x20-\x7e]/.test(pattern)) return new ConversionProblem('a line can contain only printable ASCII');
  const pieces: Piece[] = [];
  let isQuoted = false;
  for (const { 0: found, index } of pattern.matchAll(/%\{[^}]*\}.?|%.?|[^%]+/g)) {
    if (found === '%%' || !found.startsWith('%')) {
      const text = found === '%%' ? '%' : found;
      if (text.split('"').length % 2 === 0) isQuoted = !isQuoted;
      pieces.push({ text });
      continue;
    }
    const placeholder = BY_UNIFORM.get(uniform(found));
    if (placeholder === undefined) return new ConversionProblem(`character ${index + 1}: ${whyNot(found)}`);
    pieces.push({ placeholder, isQuoted });
  }
  if (isQuoted) return new ConversionProblem('a quotation mark is not closed');
  return pieces.some((piece) => 'placeholder' in piece)
    ? { name, pieces }
    : new ConversionProblem('neither a name nor a placeholder in it');
}

function whyNot(found: string): string {
  if (/^%\{[^}]*\}c$/.test(found)) return 'cookies are never logged: a reader of the log could sign in with them';
  if (/^%\{[^}]*\}[io]$/.test(found)) {
    return 'of all headers only Referer, User-Agent and the X-Request-Id of the response are logged: others can carry secrets';
  }
  if (found === '%q') return 'the query string is never logged: it can carry secrets';
  if (found === '%S') return 'session ids are never logged: a reader of the log could sign in with them';
  return UNKNOWN;
}

/** Common Log Format. */
export const COMMON_PATTERN: AccessPattern = defaultPattern();

function defaultPattern(): AccessPattern {
  const pattern = parsePattern('common');
  if (pattern instanceof ConversionProblem) throw new TypeError(pattern.reason);
  return pattern;
}
