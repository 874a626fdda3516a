import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Random } from '../../kernel/random/random.js';
import {
  ACCESS_AUDIENCE,
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

  /** `expiresIn` in seconds. */
  async issue(
    session: Session,
    roles: readonly string[],
  ): Promise<{ readonly accessToken: string; readonly expiresIn: number }> {
    const issuedAt = this.clock.seconds();
    const { accessLifetime, clientId, type, authnContextInAmr: hasClassInAmr } = this.properties;
    const expiresAt = expiryOfAccessToken(session, issuedAt, accessLifetime.seconds);
    const jti = this.random.text(JTI_BYTES);
    const { url: issuer } = this.issuer;
    const claims = claimsForSession(session, { issuer, clientId, issuedAt, expiresAt, jti, roles, hasClassInAmr });
    const accessToken = await signToken(this.keys.current('access'), type, toAccessPayload(claims));
    return { accessToken, expiresIn: expiresAt - issuedAt };
  }

  /**
   * Verifies the token only; `Sessions.find` returns its session only while it is live. Both types are accepted, so that tokens
   * from before a change of the type stay valid until they expire. The published keys sign access tokens only, so the type
   * decides nothing here; an `mfa_token` has another key, algorithm and audience.
   */
  async verify(token: string): Promise<AccessClaims | undefined> {
    const header = parseHeader(token, ACCESS_TYPES);
    const key = header && (await this.keys.find('access', header.kid));
    if (!key) return undefined;
    const now = this.clock.seconds();
    const known = this.verified.claimsOf(token, key, now);
    if (known) return known;
    const rules = { issuer: this.issuer.url, audience: ACCESS_AUDIENCE, required: ACCESS_REQUIRED };
    const payload = await verifyToken(token, key, header.typ, rules, now);
    const claims = payload && parseAccessPayload(payload);
    if (claims) this.verified.add(token, key, claims);
    return claims;
  }
}
