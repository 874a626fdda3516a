import { Injectable } from '@nestjs/common';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import type { Session } from '../../../identity/session/sessions.service.js';
import type { HttpRequest } from '../../../platform/web/http-request.js';
import type { Idp } from '../idp/idps.service.js';
import type { IdpTrust } from '../idp/idp-trust.js';
import { IdpSessionStore } from '../login/idp-session.store.js';
import type { OutgoingMessage } from '../login/response/saml-messages.js';
import { ServiceProviders } from '../sp/service-providers.service.js';
import { LogoutMessages } from './logout-messages.service.js';
import { LogoutReturnStore } from './logout-return.store.js';

/** Builds the LogoutRequest that ends the session at an identity provider to which a session here belongs. */
@Injectable()
export class LogoutRequests {
  constructor(
    private readonly work: UnitOfWork,
    private readonly idpSessions: IdpSessionStore,
    private readonly messages: LogoutMessages,
    private readonly sps: ServiceProviders,
    private readonly returns: LogoutReturnStore,
  ) {}

  /**
   * Undefined if the assertion named no user, or if the identity provider accepts no requests. `returnTo` is where the browser
   * continues after the response.
   */
  async create(
    idp: Idp,
    { idpSession, subject }: Pick<Session, 'idpSession' | 'subject'>,
    origin: Pick<HttpRequest, 'protocol' | 'host'>,
    returnTo?: string,
  ): Promise<OutgoingMessage | undefined> {
    if (idpSession === undefined) return undefined;
    const { nameId, sessionIndex } = (await this.work.single((tx) => this.idpSessions.find(tx, idpSession))) ?? {};
    const trust = trustOf(idp);
    if (!nameId || !trust) return undefined;
    const parties = { idp: idp.name, trust, sp: this.sps.of(idp, origin) };
    const id = this.messages.newRequestId(idp.name);
    const sent = await this.messages.request(parties, id, { nameId, ...withoutUndefined({ sessionIndex }) });
    if (sent && returnTo !== undefined) {
      await this.work.single((tx) => this.returns.insert(tx, { id, idp: idp.name, subject, returnTo }));
    }
    return sent;
  }

  /** Where the browser continues after the response to a request; undefined if nothing waits for it. */
  returnOf({ name }: Idp, id: string): Promise<string | undefined> {
    return this.work.single((tx) => this.returns.find(tx, id, name));
  }
}

/** Undefined while there is no valid metadata, so that users can sign out without it. */
function trustOf(idp: Idp): IdpTrust | undefined {
  try {
    return idp.trust();
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}
