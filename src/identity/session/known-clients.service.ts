import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { Clock } from '../../kernel/clock/clock.js';
import type { Tx } from '../../platform/persistence/unit-of-work.js';
import { networkOf, type RequestContext } from '../../kernel/principal/request-context.js';
import { type KnownClient, KnownClientStore } from './known-client.store.js';

const LIFETIME_SECONDS = 30 * 86_400;

type Client = Pick<RequestContext, 'ip' | 'agent'>;

/** Clients that keep no cookie are recognised by user agent and network, which grant no access. */
@Injectable()
export class KnownClients {
  constructor(
    private readonly store: KnownClientStore,
    private readonly clock: Clock,
  ) {}

  /** True if `remember` would return false; one read, for the many logins that change nothing. */
  isRemembered(tx: Tx, subject: string, client: Client): Promise<boolean> {
    return this.store.has(tx, this.known(subject, client));
  }

  /** Remembers the client of this request for 30 days; false if it is remembered already. */
  remember(tx: Tx, subject: string, client: Client): Promise<boolean> {
    return this.store.add(tx, this.known(subject, client));
  }

  /** Forgets all clients of an account, so that the next login of each is reported. */
  forget(tx: Tx, subject: string): Promise<void> {
    return this.store.deleteOf(tx, subject);
  }

  private known(subject: string, { ip, agent = '' }: Client): KnownClient {
    const content = JSON.stringify([subject, networkOf(ip), agent]);
    const id = createHash('sha256').update(content).digest('base64url');
    const now = this.clock.seconds();
    return { id, subject, now, expiresAt: now + LIFETIME_SECONDS };
  }
}
