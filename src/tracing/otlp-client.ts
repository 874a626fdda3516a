import { errorType } from './span.js';

/** Where spans go: a collector that accepts OTLP over HTTP with JSON. */
export interface OtlpTarget {
  /** URL of the trace endpoint, such as `http://collector:4318/v1/traces`. */
  readonly endpoint: string;
  /** Headers of every request, such as credentials. */
  readonly headers: Readonly<Record<string, string>>;
  /** Limit of one request, including its response. */
  readonly timeoutMillis: number;
}

/** Result of one request; `later` means that the same spans may be sent again (OTLP 1.x, "Failures"). */
export type OtlpResult =
  | { readonly outcome: 'accepted'; readonly rejected: number }
  | { readonly outcome: 'refused' | 'later'; readonly reason: string; readonly retryAfterMillis?: number };

const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const MAX_BODY_BYTES = 16 * 1024;
const MAX_RETRY_AFTER_SECONDS = 60;

/** Sends one batch to the collector; its own calls are not traced. */
export class OtlpClient {
  constructor(private readonly target: OtlpTarget) {}

  /** Never throws; `stop` gives up at once. */
  async send(body: Uint8Array<ArrayBuffer>, stop: AbortSignal): Promise<OtlpResult> {
    const { endpoint, headers, timeoutMillis } = this.target;
    try {
      const response = await fetch(endpoint, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
        // The target of a redirect must not receive credentials.
        redirect: 'manual',
        signal: AbortSignal.any([stop, AbortSignal.timeout(timeoutMillis)]),
      });
      const text = await boundedText(response).catch(() => '');
      if (response.ok) return { outcome: 'accepted', rejected: rejectedSpans(text) };
      const reason = String(response.status);
      if (!RETRYABLE.has(response.status)) return { outcome: 'refused', reason };
      return { outcome: 'later', reason, ...retryAfter(response) };
    } catch (error) {
      return { outcome: 'later', reason: reasonOf(error) };
    }
  }
}

async function boundedText({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body ?? []) {
    length += part.length;
    if (length > MAX_BODY_BYTES) return '';
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

/** A collector may accept a part of a batch (OTLP, "Partial Success"). */
function rejectedSpans(text: string): number {
  try {
    const { partialSuccess } = JSON.parse(text) as { readonly partialSuccess?: { readonly rejectedSpans?: unknown } };
    const count = Number(partialSuccess?.rejectedSpans ?? 0);
    return Number.isSafeInteger(count) && count > 0 ? count : 0;
  } catch {
    return 0;
  }
}

function retryAfter({ headers }: Response): { readonly retryAfterMillis?: number } {
  const text = headers.get('retry-after') ?? '';
  return /^\d{1,6}$/.test(text) ? { retryAfterMillis: Math.min(Number(text), MAX_RETRY_AFTER_SECONDS) * 1000 } : {};
}

function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'timeout';
  return errorType(error instanceof Error ? (error.cause ?? error) : error);
}
