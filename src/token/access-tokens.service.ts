import { Injectable } from '@nestjs/common';
import { Clock } from '../clock/clock.js';
import { Random } from '../random/random.js';
import {
  ACCESS_AUDIENCE,
  ACCESS_REQUIRED,
  ACCESS_TYP,
  type AccessClaims,
  accessClaimsFor,
  accessClaimsOf,
  accessEnd,
  accessPayload,
} from './access-token.js';
import { Issuer } from './issuer.service.js';
import { JTI_BYTES } from './mfa-token.js';
import type { Session } from './session.js';
import { keyIdOf, signed, verifiedClaims } from './signed-token.js';
import { SigningKeys } from './signing-keys.service.js';
import { TokenProperties } from './token.properties.js';

/** Access tokens of sessions (RFC 9068). */
@Injectable()
export class AccessTokens {
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
    const expiresAt = accessEnd(session, issuedAt, this.properties.accessLifetime.seconds);
    const jti = this.random.text(JTI_BYTES);
    const claims = accessClaimsFor(session, { issuer: this.issuer.url, issuedAt, expiresAt, jti, roles });
    const accessToken = await signed(this.keys.current('access'), ACCESS_TYP, accessPayload(claims));
    return { accessToken, expiresIn: expiresAt - issuedAt };
  }

  /** Looks at the token alone; whether its session is live is for `Sessions.find`. */
  async verify(token: string): Promise<AccessClaims | undefined> {
    const kid = keyIdOf(token, ACCESS_TYP);
    const key = kid === undefined ? undefined : await this.keys.find('access', kid);
    if (!key) return undefined;
    const rules = { typ: ACCESS_TYP, issuer: this.issuer.url, audience: ACCESS_AUDIENCE, required: ACCESS_REQUIRED };
    const claims = await verifiedClaims(token, key, rules, this.clock.seconds());
    return claims && accessClaimsOf(claims);
  }
}
