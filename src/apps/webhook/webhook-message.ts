import { createHmac } from 'node:crypto';
import { withoutUndefined } from '../../kernel/collections/without-undefined.js';
import type { EventRow } from '../../identity/events/event-line.js';

/** Kind of a delivery that goes to an application, and not to the webhook. */
export const LOGOUT = 'BACKCHANNEL_LOGOUT';

/** Target of a delivery that goes to the webhook. */
export const WEBHOOK = '';

/** Version of the body; an incompatible change increments it (docs/reference/webhook.md). */
const VERSION = 1;

/** The JSON body that reports an event; members without a value are absent. */
export function bodyOf(event: EventRow): string {
  const { id, at, kind, user_id, actor, ip, agent, request_id, idp, authn_context, amr, result, reason, detail } =
    event;
  const present = { user_id, actor, ip, agent, request_id, idp, authn_context, reason };
  const data = Object.fromEntries(Object.entries(present).filter(([, value]) => value !== null));
  return JSON.stringify({
    version: VERSION,
    type: kind,
    timestamp: new Date(at).toISOString(),
    data: withoutUndefined({
      id,
      ...data,
      result,
      amr: amr?.split(' '),
      detail: detail === null ? undefined : (JSON.parse(detail) as unknown),
    }),
  });
}

/** The headers of Standard Webhooks; without a secret, the request has no signature. */
export function webhookHeaders(
  { id, body }: { readonly id: string; readonly body: string },
  timestamp: number,
  secrets: readonly Uint8Array[],
): Readonly<Record<string, string>> {
  const signatures = secrets.map((secret) => {
    const signed = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`);
    return `v1,${signed.digest('base64')}`;
  });
  return {
    'content-type': 'application/json',
    'user-agent': 'login-service',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    ...(signatures.length > 0 && { 'webhook-signature': signatures.join(' ') }),
  };
}
