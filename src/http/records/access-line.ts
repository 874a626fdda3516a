import type { AccessPattern, Word } from './access-pattern.js';
import { escaped, shownPath, shownReferer, shownText } from '../../redaction/request-text.js';

/** What one line tells. */
export interface AccessFacts {
  /** Addresses and ports of the connection; undefined where it was gone too early. */
  readonly address: string | undefined;
  readonly localAddress: string | undefined;
  readonly localPort: number | undefined;
  /** Who asked, as far as the service has found out by itself: never what somebody typed. */
  readonly subject: string | undefined;
  /** Undefined where the request could not even be read. */
  readonly request: { readonly method: string; readonly target: string; readonly protocol: string } | undefined;
  readonly referer: string | undefined;
  readonly userAgent: string | undefined;
  readonly requestId: string | undefined;
  readonly status: number;
  /** Bytes of the body that were sent; undefined where there was none, or nobody knows how many. */
  readonly bytes: number | undefined;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number;
}

const NONE = '-';
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

type Show = (facts: AccessFacts, isQuoted: boolean) => string;

/** Makes the lines of a pattern, without their ends. */
export function lineWriter({ pieces }: AccessPattern): (facts: AccessFacts) => string {
  const shows = pieces.map((piece): ((facts: AccessFacts) => string) => {
    if ('text' in piece) return () => piece.text;
    const show = SHOWN[piece.word];
    return (facts) => show(facts, piece.isQuoted);
  });
  return (facts) => {
    let line = '';
    for (const show of shows) line += show(facts);
    return line;
  };
}

const SHOWN: Readonly<Record<Word, Show>> = {
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
      : `${escaped(request.method, false)} ${pathOf(request.target)} ${escaped(request.protocol, false)}`,
  '%m': ({ request }, isQuoted) => textOf(request?.method, isQuoted),
  '%U': ({ request }) => (request === undefined ? NONE : pathOf(request.target)),
  '%H': ({ request }, isQuoted) => textOf(request?.protocol, isQuoted),
  '%s': ({ status }) => String(status),
  '%b': ({ bytes = 0 }) => (bytes === 0 ? NONE : String(bytes)),
  '%B': ({ bytes = 0 }) => String(bytes),
  '%D': (facts) => String(millisOf(facts)),
  '%T': (facts) => (millisOf(facts) / 1000).toFixed(3),
  '%I': () => 'main',
  '%{Referer}i': ({ referer }, isQuoted) => (referer === undefined ? NONE : textOf(shownReferer(referer), isQuoted)),
  '%{User-Agent}i': ({ userAgent }, isQuoted) => textOf(userAgent, isQuoted),
  '%{X-Request-Id}o': ({ requestId }, isQuoted) => textOf(requestId, isQuoted),
};

function addressOf({ address }: AccessFacts): string {
  return plainAddress(address);
}

/** An IPv4 caller of a listener on every address looks like IPv6. */
function plainAddress(address: string | undefined): string {
  return textOf(address?.replace(/^::ffff:(?=\d+\.)/i, ''), false);
}

function textOf(text: string | undefined, isQuoted: boolean): string {
  return text === undefined || text === '' ? NONE : escaped(shownText(text), isQuoted);
}

/** Without spaces even where it is quoted: the next word begins behind it. */
function pathOf(target: string): string {
  return escaped(shownPath(target), false) || NONE;
}

/** The clock may have been set back meanwhile. */
function millisOf({ startedAt, endedAt }: AccessFacts): number {
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
