import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { Clock } from '../clock/clock.js';
import type { Tx } from '../persistence/unit-of-work.js';
import { networkOf, type RequestContext } from '../principal/request-context.js';
import { KnownClientStore } from './known-client.store.js';

const LIFETIME_SECONDS = 30 * 86_400;

/** Clients that keep no cookie are recognised by user agent and network, which grant no access. */
@Injectable()
export class KnownClients {
  constructor(
    private readonly store: KnownClientStore,
    private readonly clock: Clock,
  ) {}

  /** Remembers the client of this request for 30 days; false if it is remembered already. */
  remember(tx: Tx, subject: string, { ip, agent = '' }: Pick<RequestContext, 'ip' | 'agent'>): Promise<boolean> {
    const content = JSON.stringify([subject, networkOf(ip), agent]);
    const id = createHash('sha256').update(content).digest('base64url');
    const now = this.clock.seconds();
    return this.store.add(tx, { id, subject, now, expiresAt: now + LIFETIME_SECONDS });
  }

  /** Forgets all clients of an account, so that the next login of each is reported. */
  forget(tx: Tx, subject: string): Promise<void> {
    return this.store.deleteOf(tx, subject);
  }
}
