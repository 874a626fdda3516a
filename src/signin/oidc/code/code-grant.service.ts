import { createHash, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Accounts } from '../../../identity/account/accounts.service.js';
import { type Client, OFFLINE_ACCESS } from '../../../identity/client/client.js';
import { SecurityEvents } from '../../../identity/events/security-events.service.js';
import { Sessions } from '../../../identity/session/sessions.service.js';
import { type Tx, UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import { requireAudience } from '../authorize/authorization-request.js';
import type { Parameters } from '../authorize/parameters.js';
import { grantedAudience } from '../granted-scope.js';
import { OAuthError } from '../oauth-error.js';
import { mayUse } from '../user/access.js';
import { type AuthorizationCode, AuthorizationCodeStore, type CodeTerms } from './authorization-code.store.js';
import type { GrantedSession } from '../token/token-responses.service.js';

/** The session that a code has opened. */
type CodeSession = GrantedSession & { readonly terms: CodeTerms };

/** RFC 7636 section 4.1. */
const VERIFIER = /^[\w.~-]{43,128}$/;

/** Exchanges authorization codes for sessions of applications (RFC 6749 section 4.1.3). */
@Injectable()
export class CodeGrant {
  constructor(
    private readonly codes: AuthorizationCodeStore,
    private readonly sessions: Sessions,
    private readonly accounts: Accounts,
    private readonly events: SecurityEvents,
    private readonly work: UnitOfWork,
  ) {}

  /** @throws OAuthError `invalid_grant` for a code that is unknown, used, expired or of another client or redirect URI */
  async redeem(parameters: Parameters, client: Client): Promise<CodeSession> {
    const code = parameters.get('code');
    if (code === undefined) throw new OAuthError('invalid_request', 'code is missing');
    const opened = await this.work.run((tx) => this.exchange(tx, code, parameters, client));
    // The transaction that ends the session of a code that is used again has committed.
    if (!opened) throw rejected('the code has been used');
    return opened;
  }

  private async exchange(
    tx: Tx,
    code: string,
    parameters: Parameters,
    client: Client,
  ): Promise<CodeSession | undefined> {
    const found = await this.codes.find(tx, code);
    if (found?.clientId !== client.id) throw rejected('the code is unknown or has expired');
    requireSame(found, parameters);
    requireAudience(parameters, client, grantedAudience(found.terms.scope));
    if (found.isUsed || !(await this.codes.use(tx, code))) {
      await this.endFirstUse(tx, found);
      return undefined;
    }
    const account = await this.accounts.hold(tx, found.subject);
    const parent = account && (await this.sessions.hold(tx, found.parentId, found.subject));
    if (!parent || !mayUse(account, client)) throw rejected('the session of the user has ended');
    const { scope } = found.terms;
    const isOffline = scope.split(' ').includes(OFFLINE_ACCESS);
    const facts = { id: found.sessionId, kind: isOffline ? 'offline' : 'app', clientId: client.id, scope } as const;
    const [{ session, refreshToken }] = await Promise.all([
      this.sessions.openApplication(tx, parent, facts),
      this.events.record(tx, {
        ...{ kind: 'APPLICATION_SIGNED_IN', subject: account.id, amr: parent.amr, detail: { client: client.id } },
      }),
    ]);
    return { session, refreshToken, account, terms: found.terms };
  }

  /** What the first use has issued ends (RFC 6749 section 4.1.2): one of both uses was not the application's. */
  private async endFirstUse(tx: Tx, { sessionId, subject, clientId }: AuthorizationCode): Promise<void> {
    if (!(await this.sessions.end(tx, sessionId, subject))) return;
    await this.events.record(tx, {
      ...{ kind: 'TOKEN_REUSE', subject, result: 'refused', reason: 'code', detail: { client: clientId } },
    });
  }
}

function requireSame({ terms: { redirectUri, codeChallenge } }: AuthorizationCode, parameters: Parameters): void {
  if (parameters.get('redirect_uri') !== redirectUri) throw rejected('redirect_uri is not that of the request');
  const verifier = parameters.get('code_verifier');
  // A verifier without a challenge shows that the request was replaced on its way (RFC 9700 section 2.1.1).
  if ((codeChallenge === undefined) !== (verifier === undefined))
    throw rejected('code_verifier does not fit the request');
  if (codeChallenge !== undefined && !isVerifier(verifier ?? '', codeChallenge)) {
    throw rejected('code_verifier is not that of the request');
  }
}

function isVerifier(verifier: string, challenge: string): boolean {
  if (!VERIFIER.test(verifier)) return false;
  return timingSafeEqual(createHash('sha256').update(verifier).digest(), Buffer.from(challenge, 'base64url'));
}

function rejected(description: string): OAuthError {
  return new OAuthError('invalid_grant', description);
}
