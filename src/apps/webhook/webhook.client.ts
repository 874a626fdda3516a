import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { withoutUndefined } from '../../kernel/collections/without-undefined.js';
import { OutboundFailure } from '../../platform/outbound/outbound-failure.js';
import { OutboundHttp } from '../../platform/outbound/outbound-http.service.js';
import type { OutboundResponse } from '../../platform/outbound/outbound-response.js';
import { webhookHeaders } from './webhook-message.js';
import { WebhookProperties } from './webhook.properties.js';

/** What became of a request; `gone` is 410, with which a receiver says that it will never accept it. */
export interface SendResult {
  readonly outcome: 'accepted' | 'failed' | 'gone';
  /** A status or a code of an error, for operators. */
  readonly failure?: string;
  /** From the header `Retry-After`, in seconds. */
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

  /** Never throws. */
  async send(message: { readonly id: string; readonly body: string }, stop: AbortSignal): Promise<SendResult> {
    const { url = '', secrets, timeout } = this.properties;
    try {
      // The target of a redirect must not receive events, so none is followed.
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
      // The status has decided, whatever becomes of the body.
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
