import {
  sanitizeHeaders,
  type Headers,
  type ShownHeaders,
  sanitizeTarget,
  dropAddressHeaders,
} from '../../../kernel/redaction/http-sanitizer.js';

/** Parts of an exchange that an operator may switch on. */
export const EXCHANGE_PARTS = [
  'request-headers',
  'response-headers',
  'time-taken',
  'remote-address',
  'principal',
  'session-id',
] as const;

export type ExchangePart = (typeof EXCHANGE_PARTS)[number];

/** Values of a request and its response. */
export interface ExchangeRecord {
  /** Arrival of the head, in milliseconds since 1970. */
  readonly at: number;
  readonly takenMillis: number;
  readonly method: string;
  /** Scheme and host, e.g. `http://login.internal`. */
  readonly origin: string;
  /** Path and query. */
  readonly target: string;
  readonly requestHeaders: Headers;
  readonly remoteAddress: string | undefined;
  readonly principal: string | undefined;
  readonly sessionId: string | undefined;
  readonly status: number;
  readonly responseHeaders: Headers;
}

/** A request and its response in the endpoint `httpexchanges` (management API). */
export interface HttpExchange {
  readonly timestamp: string;
  readonly principal?: { readonly name: string };
  readonly session?: { readonly id: string };
  readonly request: {
    readonly method: string;
    readonly uri: string;
    readonly headers: ShownHeaders;
    readonly remoteAddress?: string;
  };
  readonly response: { readonly status: number; readonly headers: ShownHeaders };
  readonly timeTaken?: string;
}

const MAX_EXCHANGES = 100;

/** Keeps the latest requests and responses, without bodies and secrets. */
export class HttpExchanges {
  private readonly latest: HttpExchange[] = [];

  /** Without `parts` nothing is recorded. */
  constructor(private readonly parts?: ReadonlySet<ExchangePart>) {}

  get isRecording(): boolean {
    return this.parts !== undefined;
  }

  /** Recorded exchanges, newest first. */
  get all(): readonly HttpExchange[] {
    return this.latest.toReversed();
  }

  record(exchange: ExchangeRecord): void {
    if (!this.parts) return;
    this.latest.push(exchangeOf(exchange, this.parts));
    if (this.latest.length > MAX_EXCHANGES) this.latest.shift();
  }
}

function exchangeOf(exchange: ExchangeRecord, parts: ReadonlySet<ExchangePart>): HttpExchange {
  const { principal, sessionId, remoteAddress } = exchange;
  return {
    timestamp: new Date(exchange.at).toISOString(),
    ...(parts.has('principal') && principal !== undefined && { principal: { name: principal } }),
    ...(parts.has('session-id') && sessionId !== undefined && { session: { id: sessionId } }),
    request: {
      method: exchange.method,
      uri: `${exchange.origin}${sanitizeTarget(exchange.target)}`,
      headers: parts.has('request-headers') ? requestHeadersOf(exchange, parts) : {},
      ...(parts.has('remote-address') && remoteAddress !== undefined && { remoteAddress }),
    },
    response: {
      status: exchange.status,
      headers: parts.has('response-headers') ? sanitizeHeaders(exchange.responseHeaders) : {},
    },
    // ISO 8601 with milliseconds.
    ...(parts.has('time-taken') && { timeTaken: `PT${Math.round(exchange.takenMillis) / 1000}S` }),
  };
}

/** Removes the headers in which proxies send the address of the caller, unless addresses are recorded. */
function requestHeadersOf({ requestHeaders }: ExchangeRecord, parts: ReadonlySet<ExchangePart>): ShownHeaders {
  const headers = sanitizeHeaders(requestHeaders);
  return parts.has('remote-address') ? headers : dropAddressHeaders(headers);
}
