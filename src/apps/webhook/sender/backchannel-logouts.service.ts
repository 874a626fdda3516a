import { Injectable } from '@nestjs/common';
import { type EventEnqueue, EventRelay } from '../../../identity/events/chain/event-relay.service.js';
import type { EventRow } from '../../../identity/events/event-line.js';
import { type EndedSession, LogoutTokens } from '../../../signin/oidc/logout/logout-tokens.service.js';
import { WebhookDeliveries } from '../webhook-deliveries.service.js';
import { WebhookSenderTask } from './webhook-sender.task.js';

/** Enqueues the ends of sessions for the applications that want to know of them (OpenID Connect Back-Channel Logout). */
@Injectable()
export class BackchannelLogouts {
  constructor(tokens: LogoutTokens, deliveries: WebhookDeliveries, task: WebhookSenderTask, relay: EventRelay) {
    if (!tokens.areNeeded) return;
    const enqueue: EventEnqueue = async (tx, event) => {
      const ended = endedSession(event);
      if (!ended || !tokens.isNeeded(ended.client)) return;
      await deliveries.enqueueLogout(tx, ended);
      tx.afterCommit(() => {
        task.wake();
      });
    };
    // A command that disables an account wakes no replica, and applications are told within two seconds.
    relay.subscribe(['APPLICATION_SIGNED_OUT'], enqueue, { isUrgent: true });
  }
}

function endedSession({ user_id: sub, detail }: EventRow): EndedSession | undefined {
  const { client, sid } = JSON.parse(detail ?? '{}') as Partial<EndedSession>;
  return sub !== null && client !== undefined && sid !== undefined ? { client, sid, sub } : undefined;
}
