import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/clock.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { OutboundFailure } from '../../../platform/outbound/outbound-failure.js';
import { OutboundHttp } from '../../../platform/outbound/outbound-http.service.js';
import type { OutboundResponse } from '../../../platform/outbound/outbound-response.js';
import {
  type EndedSession,
  type LogoutRequest,
  LogoutTokens,
} from '../../../signin/oidc/logout/logout-tokens.service.js';
import type { NewDelivery } from '../webhook-delivery.store.js';
import { LOGOUT, webhookHeaders } from '../webhook-message.js';
import { WebhookProperties } from '../webhook.properties.js';

/** Outcome of a delivery. `gone`: the receiver answered 410; do not retry. */
export interface SendResult {
  readonly outcome: 'accepted' | 'failed' | 'gone';
  /** Status or error code, for operators. */
  readonly failure?: string;
  /** Value of `Retry-After` in seconds. */
  readonly retryAfter?: number;
}

/** An application only ends a session; one that hangs must not hold its places for long. */
const LOGOUT_MILLIS = 5000;
const MAX_FAILURE_LENGTH = 64;
const GONE = 410;

/** Sends messages to the receiver. */
@Injectable()
export class WebhookClient {
  constructor(
    private readonly http: OutboundHttp,
    private readonly properties: WebhookProperties,
    private readonly clock: Clock,
    private readonly logouts: LogoutTokens,
  ) {}

  /** True if applications have addresses for logouts. */
  get sendsLogouts(): boolean {
    return this.logouts.areNeeded;
  }

  /** Sends a delivery once; never throws. */
  async send(delivery: NewDelivery, stop: AbortSignal): Promise<SendResult> {
    const { milliseconds } = this.properties.timeout;
    try {
      const target = await this.targetOf(delivery);
      if (!target) return { outcome: 'gone', failure: 'no address' };
      // Redirects are not followed, because their target must not receive events.
      const response = await this.http.request({
        ...target,
        client: 'webhook',
        method: 'POST',
        reach: 'public',
        totalMillis: delivery.kind === LOGOUT ? Math.min(milliseconds, LOGOUT_MILLIS) : milliseconds,
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

  /** The receiver of events, or the application of a session that has ended; undefined if it is not configured any longer. */
  private async targetOf({ id, kind, body }: NewDelivery): Promise<LogoutRequest | undefined> {
    if (kind === LOGOUT) return this.logouts.request(JSON.parse(body) as EndedSession);
    const { url, secrets } = this.properties;
    return url === undefined
      ? undefined
      : { url, body, headers: webhookHeaders({ id, body }, this.clock.seconds(), secrets) };
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
