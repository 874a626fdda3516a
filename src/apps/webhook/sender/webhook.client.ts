import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/clock.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { OutboundFailure } from '../../../platform/outbound/outbound-failure.js';
import { OutboundHttp } from '../../../platform/outbound/outbound-http.service.js';
import type { OutboundResponse } from '../../../platform/outbound/outbound-response.js';
import { webhookHeaders } from '../webhook-message.js';
import { WebhookProperties } from '../webhook.properties.js';

/** Outcome of a delivery. `gone`: the receiver answered 410; do not retry. */
export interface SendResult {
  readonly outcome: 'accepted' | 'failed' | 'gone';
  /** Status or error code, for operators. */
  readonly failure?: string;
  /** Value of `Retry-After` in seconds. */
  readonly retryAfter?: number;
}

const MAX_FAILURE_LENGTH = 64;
const GONE = 410;

/** Sends messages to the receiver. */
@Injectable()
export class WebhookClient {
  constructor(
    private readonly http: OutboundHttp,
    private readonly properties: WebhookProperties,
    private readonly clock: Clock,
  ) {}

  /** Sends a message once; never throws. */
  async send(message: { readonly id: string; readonly body: string }, stop: AbortSignal): Promise<SendResult> {
    const { url = '', secrets, timeout } = this.properties;
    try {
      // Redirects are not followed, because their target must not receive events.
      const response = await this.http.request({
        client: 'webhook',
        url,
        method: 'POST',
        headers: webhookHeaders(message, this.clock.seconds(), secrets),
        body: message.body,
        reach: 'public',
        totalMillis: timeout.milliseconds,
        signal: stop,
      });
      // The status decides; an error of the body has no effect.
      await response.discard();
      if (response.isSuccess) return { outcome: 'accepted' };
      const failure = String(response.status);
      if (response.status === GONE) return { outcome: 'gone', failure };
      return withoutUndefined({ outcome: 'failed' as const, failure, retryAfter: retryAfterOf(response) });
    } catch (error) {
      return { outcome: 'failed', failure: failureOf(error) };
    }
  }
}

function retryAfterOf(response: OutboundResponse): number | undefined {
  const text = response.header('retry-after') ?? '';
  return /^\d{1,6}$/.test(text) ? Number(text) : undefined;
}

function failureOf(error: unknown): string {
  if (!(error instanceof OutboundFailure)) return 'unknown';
  return error.isTimeout ? 'timeout' : error.code.slice(0, MAX_FAILURE_LENGTH);
}
