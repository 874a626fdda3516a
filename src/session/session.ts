import { createHash } from 'node:crypto';
import type { Amr } from '../principal/amr.js';

/**
 * A login that goes on: `token` for applications, which refresh, `portal` for browsers with a session cookie, `staff` for
 * browsers that came through an identity provider and have both.
 */
export type SessionKind = 'token' | 'portal' | 'staff';

/** Instants are epoch seconds. */
export interface Session {
  /** `sid` of its access tokens; never the value of a cookie. */
  readonly id: string;
  readonly subject: string;
  readonly kind: SessionKind;
  /** Set while the second factor is open: the security stamp of the account the session is bound to. */
  readonly halfSecurityStamp?: number;
  readonly amr: Amr;
  /** When the first factor was proven; missing where an identity provider did not prove it. So is `mfaAt` of its factor. */
  readonly authTime?: number;
  readonly mfaAt?: number;
  readonly mfaMethod?: string;
  readonly idp?: string;
  readonly authnContext?: string;
  /** When it ends at the latest, where an identity provider says so (SessionNotOnOrAfter, SAML core 2.7.2). */
  readonly endsAt?: number;
  /** Which session of the identity provider it belongs to, for single logout. */
  readonly idpSession?: string;
  readonly createdAt: number;
  readonly lastUsedAt: number;
  /** When it ends unless it is used again before. */
  readonly expiresAt: number;
  readonly ip?: string;
  readonly agent?: string;
}

/** What a login proved, as it goes into a session. */
export interface LoginFacts {
  readonly subject: string;
  readonly amr: Amr;
  readonly authTime?: number;
  readonly mfaAt?: number;
  readonly mfaMethod?: string;
  readonly idp?: string;
  readonly authnContext?: string;
  readonly endsAt?: number;
  readonly idpSession?: string;
}

/** What a login through an identity provider leaves in a session, whatever is proven later. */
export type IdpFacts = Pick<LoginFacts, 'idp' | 'authnContext' | 'endsAt' | 'idpSession'>;

export function idpFactsOf({ idp, authnContext, endsAt, idpSession }: IdpFacts): IdpFacts {
  return {
    ...(idp !== undefined && { idp }),
    ...(authnContext !== undefined && { authnContext }),
    ...(endsAt !== undefined && { endsAt }),
    ...(idpSession !== undefined && { idpSession }),
  };
}

/** A second factor that was proven again. */
export interface StepUpFacts {
  readonly amr: Amr;
  readonly mfaAt: number;
  readonly mfaMethod: string;
}

/** The value of a cookie, which nothing but the cookie holds. */
export interface RefreshToken {
  readonly value: string;
  /** Epoch seconds. */
  readonly expiresAt: number;
}

/** A session with what its owner carries: a refresh token for kind `token`, a secret for `portal`, both for `staff`. */
export interface OpenedSession {
  readonly session: Session;
  readonly refreshToken?: RefreshToken;
  readonly secret?: string;
}

/** How long a session may last, in seconds. */
export interface Lifetime {
  readonly idle: number;
  readonly absolute: number;
}

/** Specification, "Authentication" item 6: as long as the token of the other arrangement. */
export const HALF_AUTHENTICATED_SECONDS = 180;
/** 256 bits (security-requirements.md, S3). */
export const SECRET_BYTES = 32;
const TOUCH_SECONDS = 60;

/** When a session that is used now ends unless it is used again. */
export function expiryOfSession(
  { createdAt, endsAt }: Pick<Session, 'createdAt' | 'endsAt'>,
  now: number,
  { idle, absolute }: Lifetime,
): number {
  return Math.min(createdAt + absolute, now + idle, endsAt ?? Infinity);
}

/** Not every request is worth a write; a short idle time is followed more closely, so that it never ends early by much. */
export function isWorthTouching({ lastUsedAt }: Session, now: number, { idle }: Lifetime): boolean {
  return now - lastUsedAt >= Math.min(TOUCH_SECONDS, Math.floor(idle / 10));
}

/** How refresh tokens and cookie secrets are stored: 43 characters of SHA-256. They are random, so no salt is needed. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** What can be a secret of ours at all: nothing else is looked up. */
export function isSecretForm(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}
