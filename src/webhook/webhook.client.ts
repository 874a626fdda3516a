import { withoutUndefined } from '../collections/without-undefined.js';
import { tracedCall } from '../tracing/traced-call.js';
import { webhookHeaders } from './webhook-message.js';
import type { WebhookProperties } from './webhook.properties.js';

/** What became of a request; `gone` is 410, with which a receiver says that it will never accept it. */
export interface SendResult {
  readonly outcome: 'accepted' | 'failed' | 'gone';
  /** A status or a code of an error, for operators. */
  readonly failure?: string;
  /** From the header `Retry-After`, in seconds. */
  readonly retryAfter?: number;
}

/** A body that is not longer is read, so that the connection can be used again. */
const MAX_BODY_BYTES = 16 * 1024;
const MAX_FAILURE_LENGTH = 64;
const GONE = 410;

/** Sends messages to the receiver. */
export class WebhookClient {
  constructor(private readonly properties: Pick<WebhookProperties, 'url' | 'secrets' | 'timeout'>) {}

  /** Never throws. */
  async send(
    message: { readonly id: string; readonly body: string },
    now: number,
    stop: AbortSignal,
  ): Promise<SendResult> {
    const { url = '', secrets, timeout } = this.properties;
    try {
      const response = await tracedCall({ method: 'POST', url }, (trace) =>
        fetch(url, {
          method: 'POST',
          headers: { ...trace, ...webhookHeaders(message, now, secrets) },
          body: message.body,
          // The target of a redirect must not receive events.
          redirect: 'manual',
          signal: AbortSignal.any([stop, AbortSignal.timeout(timeout.milliseconds)]),
        }),
      );
      // The status has decided, whatever becomes of the body.
      await discard(response).catch(() => undefined);
      if (response.ok) return { outcome: 'accepted' };
      const failure = String(response.status);
      if (response.status === GONE) return { outcome: 'gone', failure };
      return withoutUndefined({ outcome: 'failed' as const, failure, retryAfter: retryAfterOf(response) });
    } catch (error) {
      return { outcome: 'failed', failure: failureOf(error) };
    }
  }
}

/** Reads a bounded body. */
async function discard({ body }: Response): Promise<void> {
  let length = 0;
  for await (const part of body ?? []) {
    length += (part as Uint8Array).length;
    if (length > MAX_BODY_BYTES) return;
  }
}

function retryAfterOf({ headers }: Response): number | undefined {
  const text = headers.get('retry-after') ?? '';
  return /^\d{1,6}$/.test(text) ? Number(text) : undefined;
}

function failureOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if (error.name === 'TimeoutError') return 'timeout';
  const { code, name } = (error.cause ?? error) as NodeJS.ErrnoException;
  return (code ?? name).slice(0, MAX_FAILURE_LENGTH);
}
