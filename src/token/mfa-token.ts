import type { JWTPayload } from 'jose';
import { PWD } from '../principal/amr.js';

/** What a half token says, after its signature and times were found good; instants in epoch seconds. */
export interface MfaClaims {
  readonly subject: string;
  readonly jti: string;
  /** The epoch of the account it is bound to: when that rises, the token is dead. */
  readonly epoch: number;
  readonly issuedAt: number;
  readonly expiresAt: number;
}

export const MFA_TYP = 'mfa+jwt';
export const MFA_AUDIENCE = 'mfa';
/** Fixed by the specification, "Authentication" item 1. */
export const MFA_TOKEN_SECONDS = 180;
/** 128 bits. */
export const JTI_BYTES = 16;

export function toMfaPayload({ subject, jti, epoch, issuedAt, expiresAt }: MfaClaims, issuer: string): JWTPayload {
  return { iss: issuer, sub: subject, aud: MFA_AUDIENCE, iat: issuedAt, exp: expiresAt, jti, amr: [...PWD], epoch };
}

/** Undefined where a claim has another form than ours have. */
export function parseMfaPayload({ sub, jti, epoch, iat, exp, amr }: JWTPayload): MfaClaims | undefined {
  if (sub === undefined || jti === undefined || iat === undefined || exp === undefined) return undefined;
  if (typeof sub !== 'string' || typeof jti !== 'string' || !Number.isSafeInteger(epoch)) return undefined;
  if (exp - iat > MFA_TOKEN_SECONDS || !Array.isArray(amr) || amr.join(' ') !== PWD.join(' ')) return undefined;
  return { subject: sub, jti, epoch: epoch as number, issuedAt: iat, expiresAt: exp };
}
