import {
  headersWithoutSecrets,
  type Headers,
  type ShownHeaders,
  targetWithoutSecrets,
  withoutAddresses,
} from '../../redaction/without-secrets.js';

/** What may be kept of a request and its answer. */
export const EXCHANGE_PARTS = [
  'request-headers',
  'response-headers',
  'time-taken',
  'remote-address',
  'principal',
  'session-id',
] as const;

export type ExchangePart = (typeof EXCHANGE_PARTS)[number];

/** What is known of a request once its answer has gone out. */
export interface ExchangeFacts {
  /** Milliseconds since 1970 at which its head was here. */
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

/** A request and its answer as operators see them (management API, "httpexchanges"). */
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

const MOST = 100;

/** The last requests and their answers, without bodies and secrets; none where nothing is to be recorded. */
export class HttpExchanges {
  private readonly kept: HttpExchange[] = [];

  /** `parts` is undefined where nothing is recorded at all. */
  constructor(private readonly parts?: ReadonlySet<ExchangePart>) {}

  get isRecording(): boolean {
    return this.parts !== undefined;
  }

  /** The newest one first. */
  get all(): readonly HttpExchange[] {
    return this.kept.toReversed();
  }

  record(facts: ExchangeFacts): void {
    if (!this.parts) return;
    this.kept.push(exchangeOf(facts, this.parts));
    if (this.kept.length > MOST) this.kept.shift();
  }
}

function exchangeOf(facts: ExchangeFacts, parts: ReadonlySet<ExchangePart>): HttpExchange {
  const { principal, sessionId, remoteAddress } = facts;
  return {
    timestamp: new Date(facts.at).toISOString(),
    ...(parts.has('principal') && principal !== undefined && { principal: { name: principal } }),
    ...(parts.has('session-id') && sessionId !== undefined && { session: { id: sessionId } }),
    request: {
      method: facts.method,
      uri: `${facts.origin}${targetWithoutSecrets(facts.target)}`,
      headers: parts.has('request-headers') ? requestHeadersOf(facts, parts) : {},
      ...(parts.has('remote-address') && remoteAddress !== undefined && { remoteAddress }),
    },
    response: {
      status: facts.status,
      headers: parts.has('response-headers') ? headersWithoutSecrets(facts.responseHeaders) : {},
    },
    // ISO 8601, to the millisecond.
    ...(parts.has('time-taken') && { timeTaken: `PT${Math.round(facts.takenMillis) / 1000}S` }),
  };
}

/** Proxies say in headers where a caller is. */
function requestHeadersOf({ requestHeaders }: ExchangeFacts, parts: ReadonlySet<ExchangePart>): ShownHeaders {
  const headers = headersWithoutSecrets(requestHeaders);
  return parts.has('remote-address') ? headers : withoutAddresses(headers);
}
