import { Injectable } from '@nestjs/common';
import type { JWTPayload } from 'jose';
import { Clock } from '../../kernel/clock/clock.js';
import { expiringTable } from '../../platform/persistence/expiring-tables.js';
import type { Tx } from '../../platform/persistence/unit-of-work.js';
import { MFA_AUDIENCE } from '../../kernel/principal/audience.js';
import { type Amr, amrOf, amrText, hasSecondFactor, PWD } from '../../kernel/principal/amr.js';
import { Random } from '../../kernel/random/random.js';
import { SigningKeys } from './keys/signing-keys.js';
import { Issuer, JTI_BYTES, parseHeader, signToken, VerifiedTokens, verifyToken } from './signed-token.js';

expiringTable('used_mfa_token', 'jti');

const INSERT_USED = 'INSERT INTO used_mfa_token (jti, expires_at) VALUES (?, ?)';

const TYP = 'mfa+jwt';
/** Specification, "Authentication" item 1. */
const MFA_TOKEN_SECONDS = 180;

/** Claims of a verified `mfa_token`; instants in epoch seconds. */
export interface MfaClaims {
  readonly subject: string;
  readonly jti: string;
  /** The first factor. */
  readonly amr: Amr;
  /** The security stamp of the account, claim `epoch` of the token: when it rises, the token is no longer accepted. */
  readonly securityStamp: number;
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/** Issues and verifies `mfa_token`s, which prove a recent first factor and are valid for one second step. */
@Injectable()
export class MfaTokens {
  private readonly verified = new VerifiedTokens<MfaClaims>();

  constructor(
    private readonly keys: SigningKeys,
    private readonly issuer: Issuer,
    private readonly clock: Clock,
    private readonly random: Random,
  ) {}

  async issue(account: {
    readonly subject: string;
    readonly securityStamp: number;
    /** The first factor; a password if unset. */
    readonly amr?: Amr;
  }): Promise<{ readonly token: string; readonly jti: string; readonly expiresAt: number }> {
    const issuedAt = this.clock.seconds();
    const expiresAt = issuedAt + MFA_TOKEN_SECONDS;
    const jti = this.random.text(JTI_BYTES);
    const key = this.keys.current('mfa');
    const { subject, securityStamp, amr = PWD } = account;
    const claims: MfaClaims = { subject, securityStamp, amr, jti, issuedAt, expiresAt };
    const token = await signToken(key, TYP, toPayload(claims, this.issuer.url));
    this.verified.add(token, key, claims);
    return { token, jti, expiresAt };
  }

  /** Verifies the token only; the transaction of the caller checks the security stamp and whether `jti` is unused. */
  async verify(token: string): Promise<MfaClaims | undefined> {
    const header = parseHeader(token, [TYP]);
    const key = header && (await this.keys.find('mfa', header.kid));
    if (!key) return undefined;
    const now = this.clock.seconds();
    const known = this.verified.claimsOf(token, key, now);
    if (known) return known;
    const rules = { issuer: this.issuer.url, audience: MFA_AUDIENCE, required: ['jti', 'amr', 'epoch'] };
    const payload = await verifyToken(token, key, TYP, rules, now);
    return payload && parsePayload(payload);
  }

  /** True for the one transaction that uses the token. */
  markUsed(tx: Tx, { jti, expiresAt }: Pick<MfaClaims, 'jti' | 'expiresAt'>): Promise<boolean> {
    return tx.insert(INSERT_USED, [jti, expiresAt]);
  }
}

function toPayload({ subject, jti, amr, securityStamp, issuedAt, expiresAt }: MfaClaims, issuer: string): JWTPayload {
  return {
    iss: issuer,
    sub: subject,
    aud: MFA_AUDIENCE,
    iat: issuedAt,
    exp: expiresAt,
    jti,
    amr: [...amr],
    epoch: securityStamp,
  };
}

/** Undefined if a claim is malformed. */
function parsePayload({ sub, jti, epoch, iat, exp, amr }: JWTPayload): MfaClaims | undefined {
  if (sub === undefined || jti === undefined || iat === undefined || exp === undefined) return undefined;
  if (typeof sub !== 'string' || typeof jti !== 'string' || !Number.isSafeInteger(epoch)) return undefined;
  if (exp - iat > MFA_TOKEN_SECONDS || !Array.isArray(amr)) return undefined;
  const methods = amrOf(amr.join(' '));
  if (methods.length !== 1 || amrText(methods) !== amr.join(' ') || hasSecondFactor(methods)) return undefined;
  return { subject: sub, jti, amr: methods, securityStamp: epoch as number, issuedAt: iat, expiresAt: exp };
}
