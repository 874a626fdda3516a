import type { OtlpResult, SpanReceiver } from '../../observability/tracing/span-export.js';
import { OutboundFailure } from './outbound-failure.js';
import type { OutboundHttp } from './outbound-http.service.js';
import type { OutboundResponse } from './outbound-response.js';

/** Collector of spans, which accepts OTLP over HTTP with JSON. */
export interface OtlpTarget {
  /** URL of the trace endpoint, such as `http://collector:4318/v1/traces`. */
  readonly endpoint: string;
  /** Headers of every request, such as credentials. */
  readonly headers: Readonly<Record<string, string>>;
  /** Limit of one request, including its response. */
  readonly timeoutMillis: number;
}

const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const MAX_BODY_BYTES = 16 * 1024;
const MAX_RETRY_AFTER_SECONDS = 60;

/** Sends batches of spans to the collector; its own calls are not traced. */
export class OtlpClient implements SpanReceiver {
  constructor(
    private readonly http: OutboundHttp,
    private readonly target: OtlpTarget,
  ) {}

  async send(body: Uint8Array, stop: AbortSignal): Promise<OtlpResult> {
    const { endpoint, headers, timeoutMillis } = this.target;
    try {
      // The collector of the operator is usually internal, so any address is allowed. Redirects are not followed,
      // because their target must not receive credentials.
      const response = await this.http.request({
        client: 'otlp',
        url: endpoint,
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
        reach: 'any',
        totalMillis: timeoutMillis,
        signal: stop,
        isTraced: false,
      });
      const text = await boundedText(response);
      if (response.isSuccess) return { outcome: 'accepted', rejected: rejectedSpans(text) };
      const reason = String(response.status);
      if (!RETRYABLE.has(response.status)) return { outcome: 'rejected', reason };
      return { outcome: 'later', reason, ...retryAfter(response) };
    } catch (error) {
      if (!(error instanceof OutboundFailure)) throw error;
      return { outcome: 'later', reason: error.code };
    }
  }
}

/** The text of the body; empty if it is too long or incomplete, since the status alone decides about the export. */
async function boundedText(response: OutboundResponse): Promise<string> {
  try {
    return String(await response.read(MAX_BODY_BYTES));
  } catch {
    return '';
  }
}

/** Number of spans that the collector rejected; it may accept a part of a batch (OTLP, "Partial Success"). */
function rejectedSpans(text: string): number {
  try {
    const { partialSuccess } = JSON.parse(text) as { readonly partialSuccess?: { readonly rejectedSpans?: unknown } };
    const count = Number(partialSuccess?.rejectedSpans ?? 0);
    return Number.isSafeInteger(count) && count > 0 ? count : 0;
  } catch {
    return 0;
  }
}

function retryAfter(response: OutboundResponse): { readonly retryAfterMillis?: number } {
  const text = response.header('retry-after') ?? '';
  return /^\d{1,6}$/.test(text) ? { retryAfterMillis: Math.min(Number(text), MAX_RETRY_AFTER_SECONDS) * 1000 } : {};
}
