import type { JWTPayload } from 'jose';
import { PWD } from '../principal/amr.js';

/** Claims of a verified `mfa_token`; instants in epoch seconds. */
export interface MfaClaims {
  readonly subject: string;
  readonly jti: string;
  /** The security stamp of the account, claim `epoch` of the token: when it rises, the token is no longer accepted. */
  readonly securityStamp: number;
  readonly issuedAt: number;
  readonly expiresAt: number;
}

export const MFA_TYP = 'mfa+jwt';
export const MFA_AUDIENCE = 'mfa';
/** Fixed by the specification, "Authentication" item 1. */
export const MFA_TOKEN_SECONDS = 180;
/** 128 bits. */
export const JTI_BYTES = 16;

export function toMfaPayload(
  { subject, jti, securityStamp, issuedAt, expiresAt }: MfaClaims,
  issuer: string,
): JWTPayload {
  return {
    iss: issuer,
    sub: subject,
    aud: MFA_AUDIENCE,
    iat: issuedAt,
    exp: expiresAt,
    jti,
    amr: [...PWD],
    epoch: securityStamp,
  };
}

/** Undefined if a claim is malformed. */
export function parseMfaPayload({ sub, jti, epoch, iat, exp, amr }: JWTPayload): MfaClaims | undefined {
  if (sub === undefined || jti === undefined || iat === undefined || exp === undefined) return undefined;
  if (typeof sub !== 'string' || typeof jti !== 'string' || !Number.isSafeInteger(epoch)) return undefined;
  if (exp - iat > MFA_TOKEN_SECONDS || !Array.isArray(amr) || amr.join(' ') !== PWD.join(' ')) return undefined;
  return { subject: sub, jti, securityStamp: epoch as number, issuedAt: iat, expiresAt: exp };
}
