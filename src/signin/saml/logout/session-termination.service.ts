import { Injectable } from '@nestjs/common';
import type { SecurityEvent } from '../../../identity/events/security-event.js';
import { SecurityEvents } from '../../../identity/events/security-events.service.js';
import { type Tx, UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import { Sessions } from '../../../identity/session/sessions.service.js';
import { IdpSessionStore } from '../login/idp-session.store.js';
import { UsedAssertionStore } from '../login/used-assertion.store.js';
import { isSameName, type LogoutRequestFacts } from './logout-message.js';

/** Ends the sessions here that belong to a session at an identity provider (SAML profiles 4.4.3.4). */
@Injectable()
export class SessionTermination {
  constructor(
    private readonly work: UnitOfWork,
    private readonly usedMessages: UsedAssertionStore,
    private readonly idpSessions: IdpSessionStore,
    private readonly sessions: Sessions,
    private readonly events: SecurityEvents,
  ) {}

  /**
   * Carries out a LogoutRequest once, in one transaction. `expiry` is when the request expires, in milliseconds since 1970;
   * `secret` is the cookie of the browser that brings it, whose own session may be among those that end.
   */
  async carryOut(
    idp: string,
    request: LogoutRequestFacts,
    { expiry, secret }: { readonly expiry: number; readonly secret: string | undefined },
  ): Promise<{ readonly isOwnEnded: boolean } | 'replay'> {
    const own = secret === undefined ? undefined : await this.sessions.findBySecret(secret);
    return this.work.run(async (tx) => {
      if (!(await this.usedMessages.useLogoutRequest(tx, request, expiry))) return 'replay';
      const named = await this.findNamed(tx, idp, request);
      const events: SecurityEvent[] = [];
      for (const id of named) {
        for (const subject of await this.sessions.endByIdpSession(tx, id)) {
          events.push({ kind: 'SESSION_REVOKED', subject, idp, reason: 'idp_logout' });
        }
      }
      if (events.length > 0) await this.events.record(tx, ...events);
      return { isOwnEnded: own?.idpSession !== undefined && named.includes(own.idpSession) };
    });
  }

  /** A request names sessions by NameID and, if it has any, by session indexes (SAML core 3.7.3.2). */
  private async findNamed(tx: Tx, idp: string, request: LogoutRequestFacts): Promise<readonly string[]> {
    const { issuer, nameId, sessionIndexes } = request;
    const candidates = await this.idpSessions.ofName(tx, issuer, nameId);
    const named = candidates.filter((session) => {
      if (session.idp !== idp || !session.nameId || !isSameName(session.nameId, nameId, issuer)) return false;
      return sessionIndexes.length === 0 || sessionIndexes.includes(session.sessionIndex ?? '');
    });
    return named.map(({ id }) => id);
  }
}
