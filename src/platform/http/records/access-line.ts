import type { AccessPattern, Placeholder } from './access-pattern.js';
import { escapeLogText, sanitizePath, sanitizeReferer, truncate } from '../../../kernel/redaction/request-path.js';

/** Values of one line of the access log. */
export interface AccessRecord {
  /** Addresses and ports of the connection; undefined if it was closed too early. */
  readonly address: string | undefined;
  readonly localAddress: string | undefined;
  readonly localPort: number | undefined;
  /** The authenticated subject, never a login id from the request. */
  readonly subject: string | undefined;
  /** Undefined if the request could not be read. */
  readonly request: { readonly method: string; readonly target: string; readonly protocol: string } | undefined;
  readonly referer: string | undefined;
  readonly userAgent: string | undefined;
  readonly requestId: string | undefined;
  readonly status: number;
  /** Bytes of the body that were sent; undefined if there was none or the number is unknown. */
  readonly bytes: number | undefined;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number;
}

const NONE = '-';
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

type Show = (record: AccessRecord, isQuoted: boolean) => string;

/** Returns a function that formats one line, without its line end. */
export function lineWriter({ pieces }: AccessPattern): (record: AccessRecord) => string {
  const shows = pieces.map((piece): ((record: AccessRecord) => string) => {
    if ('text' in piece) return () => piece.text;
    const show = SHOWN[piece.placeholder];
    return (record) => show(record, piece.isQuoted);
  });
  return (record) => {
    let line = '';
    for (const show of shows) line += show(record);
    return line;
  };
}

const SHOWN: Readonly<Record<Placeholder, Show>> = {
  '%a': addressOf,
  '%h': addressOf,
  '%A': ({ localAddress }) => plainAddress(localAddress),
  '%p': ({ localPort }) => String(localPort ?? NONE),
  '%l': () => NONE,
  '%u': ({ subject }, isQuoted) => textOf(subject, isQuoted),
  '%t': ({ endedAt }) => timeOf(endedAt),
  '%r': ({ request }) =>
    request === undefined
      ? NONE
      : `${escapeLogText(request.method, false)} ${pathOf(request.target)} ${escapeLogText(request.protocol, false)}`,
  '%m': ({ request }, isQuoted) => textOf(request?.method, isQuoted),
  '%U': ({ request }) => (request === undefined ? NONE : pathOf(request.target)),
  '%H': ({ request }, isQuoted) => textOf(request?.protocol, isQuoted),
  '%s': ({ status }) => String(status),
  '%b': ({ bytes = 0 }) => (bytes === 0 ? NONE : String(bytes)),
  '%B': ({ bytes = 0 }) => String(bytes),
  '%D': (record) => String(millisOf(record)),
  '%T': (record) => (millisOf(record) / 1000).toFixed(3),
  '%I': () => 'main',
  '%{Referer}i': ({ referer }, isQuoted) => (referer === undefined ? NONE : textOf(sanitizeReferer(referer), isQuoted)),
  '%{User-Agent}i': ({ userAgent }, isQuoted) => textOf(userAgent, isQuoted),
  '%{X-Request-Id}o': ({ requestId }, isQuoted) => textOf(requestId, isQuoted),
};

function addressOf({ address }: AccessRecord): string {
  return plainAddress(address);
}

/** A listener on `::` sees IPv4 addresses mapped to IPv6. */
function plainAddress(address: string | undefined): string {
  return textOf(address?.replace(/^::ffff:(?=\d+\.)/i, ''), false);
}

function textOf(text: string | undefined, isQuoted: boolean): string {
  return text === undefined || text === '' ? NONE : escapeLogText(truncate(text), isQuoted);
}

/**
 * Path without query and fragment. Spaces are escaped even in a quoted request line, because they separate its fields.
 */
function pathOf(target: string): string {
  return escapeLogText(sanitizePath(target), false) || NONE;
}

/** Duration in milliseconds; not negative even if the clock was set back. */
function millisOf({ startedAt, endedAt }: AccessRecord): number {
  return Math.max(0, endedAt - startedAt);
}

let lastSecond = NaN;
let lastTime = '';

/** Time of Common Log Format in the zone of the process. */
function timeOf(millis: number): string {
  const second = Math.floor(millis / 1000);
  if (second === lastSecond) return lastTime;
  const at = new Date(millis);
  const offset = -at.getTimezoneOffset();
  const zone = `${offset < 0 ? '-' : '+'}${two(Math.abs(offset) / 60)}${two(Math.abs(offset) % 60)}`;
  const day = `${two(at.getDate())}/${MONTHS[at.getMonth()] ?? ''}/${at.getFullYear()}`;
  lastTime = `[${day}:${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())} ${zone}]`;
  lastSecond = second;
  return lastTime;
}

function two(number: number): string {
  return String(Math.floor(number)).padStart(2, '0');
}
