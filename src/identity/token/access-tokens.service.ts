import { Injectable } from '@nestjs/common';
import type { JWTPayload } from 'jose';
import { Clock } from '../../kernel/clock/clock.js';
import { Random } from '../../kernel/random/random.js';
import { RESOURCE_API } from '../../kernel/principal/audience.js';
import {
  ACCESS_REQUIRED,
  ACCESS_TYPES,
  type AccessClaims,
  claimsForSession,
  expiryOfAccessToken,
  parseAccessPayload,
  toAccessPayload,
} from './access-token.js';
import type { Session } from '../session/session.js';
import { Issuer, JTI_BYTES, parseHeader, signToken, VerifiedTokens, verifyToken } from './signed-token.js';
import { SigningKeys } from './keys/signing-keys.js';
import { TokenProperties } from './token.properties.js';

/** For whom an access token is, where it differs from the tokens of `/login`. */
export interface AccessTerms {
  readonly audience?: string;
  readonly clientId?: string;
  readonly scope?: string;
  /** Seconds. */
  readonly lifetime?: number;
}

/** Issues and verifies the access tokens of sessions (RFC 9068). */
@Injectable()
export class AccessTokens {
  private readonly verified = new VerifiedTokens<AccessClaims>();

  constructor(
    private readonly keys: SigningKeys,
    private readonly issuer: Issuer,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly properties: TokenProperties,
  ) {}

  /** `expiresIn` in seconds. Without further terms, the token is for resource servers. */
  async issue(
    session: Session,
    roles: readonly string[],
    terms: AccessTerms = {},
  ): Promise<{ readonly accessToken: string; readonly expiresIn: number }> {
    const issuedAt = this.clock.seconds();
    const { accessLifetime, clientId, type, authnContextInAmr: hasClassInAmr } = this.properties;
    const { audience = RESOURCE_API, lifetime = accessLifetime.seconds, ...client } = terms;
    const expiresAt = expiryOfAccessToken(session, issuedAt, lifetime);
    const jti = this.random.text(JTI_BYTES);
    const facts = { issuer: this.issuer.url, audience, clientId, ...client, roles, hasClassInAmr };
    const claims = claimsForSession(session, { ...facts, issuedAt, expiresAt, jti });
    const accessToken = await signToken(this.keys.current('access'), type, toAccessPayload(claims));
    return { accessToken, expiresIn: expiresAt - issuedAt };
  }

  /** A token for a client without a user (RFC 9068 section 2.2): it has no session, so this service itself accepts it nowhere. */
  async issueToClient(
    terms: AccessTerms & { readonly audience: string; readonly clientId: string },
  ): Promise<{ readonly accessToken: string; readonly expiresIn: number }> {
    const now = this.clock.seconds();
    const { audience, clientId, scope, lifetime = this.properties.accessLifetime.seconds } = terms;
    const subject = {
      iss: this.issuer.url,
      sub: clientId,
      aud: audience,
      client_id: clientId,
      ...(scope !== '' && { scope }),
    };
    const claims = { ...subject, iat: now, nbf: now, exp: now + lifetime, jti: this.random.text(JTI_BYTES) };
    const accessToken = await signToken(this.keys.current('access'), this.properties.type, claims);
    return { accessToken, expiresIn: lifetime };
  }

  /** The claims of a token of `issueToClient`; undefined for any other token. */
  async verifyOfClient(token: string): Promise<JWTPayload | undefined> {
    const header = parseHeader(token, ACCESS_TYPES);
    const key = header && (await this.keys.find('access', header.kid));
    if (!key) return undefined;
    const rules = { issuer: this.issuer.url, required: ['jti', 'nbf', 'client_id'] };
    const payload = await verifyToken(token, key, header.typ, rules, this.clock.seconds());
    return payload?.['sid'] === undefined && payload?.sub === payload?.['client_id'] ? payload : undefined;
  }

  /**
   * Verifies a token of any audience: the caller decides which ones it accepts. `Sessions.find` returns the session of the
   * token only while it is live. Both types are accepted, so that tokens from before a change of the type stay valid until they
   * expire. The published keys sign access tokens only, so the type decides nothing here; an `mfa_token` has another key,
   * algorithm and audience.
   */
  async verify(token: string): Promise<AccessClaims | undefined> {
    const header = parseHeader(token, ACCESS_TYPES);
    const key = header && (await this.keys.find('access', header.kid));
    if (!key) return undefined;
    const now = this.clock.seconds();
    const known = this.verified.claimsOf(token, key, now);
    if (known) return known;
    const rules = { issuer: this.issuer.url, required: ACCESS_REQUIRED };
    const payload = await verifyToken(token, key, header.typ, rules, now);
    const claims = payload && parseAccessPayload(payload);
    if (claims) this.verified.add(token, key, claims);
    return claims;
  }
}
