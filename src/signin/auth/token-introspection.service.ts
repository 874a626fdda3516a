import { Injectable } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { GuessThrottle } from '../../identity/account/throttle/guess-throttle.service.js';
import { acrOf } from '../../kernel/principal/amr.js';
import { amrClaim } from '../../identity/token/access-token.js';
import { AccessTokens } from '../../identity/token/access-tokens.service.js';
import type { Client } from '../../identity/client/client.js';
import { Clients } from '../../identity/client/clients.service.js';
import { Sessions } from '../../identity/session/sessions.service.js';
import { Usernames } from './usernames.service.js';
import { parseClientCredentials } from './guards/bearer.js';
import { withoutUndefined } from '../../kernel/collections/without-undefined.js';
import type { introspectionResponse } from './api/introspection.schema.js';

type Introspection = InferOutput<typeof introspectionResponse>;

const INACTIVE = { active: false } as const;

/** Token introspection for registered resource servers (RFC 7662). */
@Injectable()
export class TokenIntrospection {
  constructor(
    private readonly clients: Clients,
    private readonly throttle: GuessThrottle,
    private readonly accessTokens: AccessTokens,
    private readonly sessions: Sessions,
    private readonly usernames: Usernames,
  ) {}

  /** The client whose id and secret the header has. @throws ServiceError `RATE_LIMITED` */
  async clientOf(authorization: string | undefined): Promise<Client | undefined> {
    const client = authorization === undefined ? undefined : parseClientCredentials(authorization);
    if (client === undefined) return undefined;
    const hasSecret = await this.throttle.guard(
      { client: this.clients.idOf(client.name) },
      () => Promise.resolve(this.clients.hasSecret(client.name, ...client.secrets)),
      (isRight) => isRight,
    );
    return hasSecret ? this.clients.find(client.name) : undefined;
  }

  /**
   * Returns the members of RFC 7662 section 2.2 and our claims; only `active: false` for a token that is not live, or that is
   * neither of the client nor for one of its audiences (section 4).
   */
  async introspect(token: string, asker: Client): Promise<Introspection> {
    const { id, audiences } = asker;
    const claims = await this.accessTokens.verify(token);
    if (!claims) return this.introspectOfClient(token, asker);
    if (!(claims.clientId === id || audiences.includes(claims.audience))) return INACTIVE;
    const [session, username] = await Promise.all([
      this.sessions.find(claims.sid),
      this.usernames.find(claims.subject),
    ]);
    if (session?.subject !== claims.subject || username === undefined) return INACTIVE;
    const { subject, sid, roles, amr, authTime, mfaAt, mfaMethod } = claims;
    const { issuer, audience, clientId, scope, issuedAt, expiresAt, jti } = claims;
    return withoutUndefined({
      active: true as const,
      token_type: 'Bearer' as const,
      iss: issuer,
      sub: subject,
      aud: audience,
      client_id: clientId,
      scope,
      iat: issuedAt,
      exp: expiresAt,
      jti,
      sid,
      username,
      roles,
      amr: amrClaim(claims),
      acr: acrOf(amr),
      auth_time: authTime,
      mfa_at: mfaAt,
      mfa_method: mfaMethod,
    });
  }

  /** A token of a client itself is live until it expires, or its client is removed or may no longer have one. */
  private async introspectOfClient(token: string, { id, audiences }: Client): Promise<Introspection> {
    const { iss, sub, aud, iat, exp, jti, scope } = (await this.accessTokens.verifyOfClient(token)) ?? {};
    const owner = sub === undefined ? undefined : this.clients.find(sub);
    if (!owner?.grantTypes.has('client_credentials') || owner.id !== sub) return INACTIVE;
    if (!(sub === id || audiences.includes(String(aud)))) return INACTIVE;
    const facts = { iss: String(iss), sub, aud: String(aud), client_id: sub, jti: String(jti) };
    const instants = { iat: Number(iat), exp: Number(exp) };
    const granted = withoutUndefined({ scope: typeof scope === 'string' ? scope : undefined });
    return { active: true, token_type: 'Bearer', ...facts, ...instants, ...granted };
  }
}
