import { Injectable } from '@nestjs/common';
import { Clock } from '../clock/clock.js';
import type { Tx } from '../persistence/unit-of-work.js';
import { Random } from '../random/random.js';
import { Issuer } from './issuer.js';
import {
  JTI_BYTES,
  MFA_AUDIENCE,
  MFA_TOKEN_SECONDS,
  MFA_TYP,
  type MfaClaims,
  parseMfaPayload,
  toMfaPayload,
} from './mfa-token.js';
import { signToken, parseHeader, verifyToken } from './signed-token.js';
import { SigningKeys } from './keys/signing-keys.service.js';
import { UsedMfaTokenStore } from './used-mfa-token.store.js';

/** Issues and verifies `mfa_token`s, which prove a recent password check and are valid for one second step. */
@Injectable()
export class MfaTokens {
  constructor(
    private readonly keys: SigningKeys,
    private readonly issuer: Issuer,
    private readonly used: UsedMfaTokenStore,
    private readonly clock: Clock,
    private readonly random: Random,
  ) {}

  async issue(account: {
    readonly subject: string;
    readonly securityStamp: number;
  }): Promise<{ readonly token: string; readonly jti: string; readonly expiresAt: number }> {
    const issuedAt = this.clock.seconds();
    const expiresAt = issuedAt + MFA_TOKEN_SECONDS;
    const jti = this.random.text(JTI_BYTES);
    const claims = toMfaPayload({ ...account, jti, issuedAt, expiresAt }, this.issuer.url);
    return { token: await signToken(this.keys.current('mfa'), MFA_TYP, claims), jti, expiresAt };
  }

  /** Looks at the token alone; whether its security stamp goes on and its `jti` is unused is for the caller's transaction. */
  async verify(token: string): Promise<MfaClaims | undefined> {
    const header = parseHeader(token, [MFA_TYP]);
    const key = header && (await this.keys.find('mfa', header.kid));
    if (!key) return undefined;
    const rules = { issuer: this.issuer.url, audience: MFA_AUDIENCE, required: ['amr', 'epoch'] };
    const claims = await verifyToken(token, key, MFA_TYP, rules, this.clock.seconds());
    return claims && parseMfaPayload(claims);
  }

  /** True for the one transaction that uses the token. */
  markUsed(tx: Tx, { jti, expiresAt }: Pick<MfaClaims, 'jti' | 'expiresAt'>): Promise<boolean> {
    return this.used.insert(tx, jti, expiresAt);
  }
}
