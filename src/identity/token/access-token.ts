import type { JWTPayload } from 'jose';
import { withoutUndefined } from '../../kernel/collections/without-undefined.js';
import { MFA_AUDIENCE } from '../../kernel/principal/audience.js';
import { acrOf, amrOf, amrText } from '../../kernel/principal/amr.js';
import { type AuthenticationFacts, authenticationFactsOf } from '../../kernel/principal/principal.js';
import type { Session } from '../session/session.js';

/** Claims of a verified access token (RFC 9068); instants in epoch seconds. */
export interface AccessClaims extends AuthenticationFacts {
  readonly issuer: string;
  readonly subject: string;
  readonly audience: string;
  /** Missing in tokens of earlier versions, which stay valid until they expire. */
  readonly clientId?: string;
  /** Scopes of a token for an application, separated by blanks (RFC 9068 section 2.2.3). */
  readonly scope?: string;
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly jti: string;
  /** Id of the session; the token is valid here only while the session is live. */
  readonly sid: string;
  readonly roles: readonly string[];
  /** Whether the claim `amr` of the token has the context class beside the methods. */
  readonly hasClassInAmr: boolean;
}

/** RFC 9068 section 2.1, and the type for verifiers that know no other (`app.security.token.type`). */
export const ACCESS_TYPES = ['at+jwt', 'JWT'] as const;
export type AccessType = (typeof ACCESS_TYPES)[number];
export const ACCESS_REQUIRED = ['jti', 'nbf', 'sid', 'roles', 'amr', 'acr'] as const;

/** A token expires after its lifetime, but not after its session. */
export function expiryOfAccessToken(session: Session, now: number, lifetime: number): number {
  return Math.min(now + lifetime, session.expiresAt);
}

export function claimsForSession(
  session: Session,
  rest: Omit<AccessClaims, keyof AuthenticationFacts | 'subject' | 'sid'>,
): AccessClaims {
  const { id: sid, subject } = session;
  return { ...rest, ...authenticationFactsOf(session), subject, sid };
}

/**
 * The claim `amr`: the methods, and after them the context class of the identity provider if the token has it. A class that has
 * the form of a method (RFC 8176) or contains blanks is never added: a resource server would take it for that method.
 */
export function amrClaim({ amr, authnContext, hasClassInAmr }: AccessClaims): readonly string[] {
  return hasClassInAmr && isClassForAmr(authnContext) ? [...amr, authnContext] : amr;
}

function isClassForAmr(authnContext: unknown): authnContext is string {
  return isText(authnContext) && /^[\x21-\x7e]+$/.test(authnContext) && !/^[a-z\d]+$/.test(authnContext);
}

/** The claims by their names on the wire. */
export function toAccessPayload(claims: AccessClaims): JWTPayload {
  const { issuer, subject, audience, clientId, scope, issuedAt, expiresAt, jti, sid, roles, amr } = claims;
  const { authTime, mfaAt, mfaMethod, idp, authnContext } = claims;
  return withoutUndefined({
    iss: issuer,
    sub: subject,
    aud: audience,
    client_id: clientId,
    scope,
    iat: issuedAt,
    nbf: issuedAt,
    exp: expiresAt,
    jti,
    sid,
    roles: [...roles],
    amr: [...amrClaim(claims)],
    acr: acrOf(amr),
    auth_time: authTime,
    mfa_at: mfaAt,
    mfa_method: mfaMethod,
    idp,
    authn_context: authnContext,
  });
}

/** Undefined if a claim is malformed, or `acr` does not follow from `amr`. */
export function parseAccessPayload(payload: JWTPayload): AccessClaims | undefined {
  const { iss, sub, aud, iat, exp, jti, sid, roles, amr: methods, acr, auth_time: authTime } = payload;
  const { client_id: clientId, scope, mfa_at: mfaAt, mfa_method: mfaMethod } = payload;
  const { idp, authn_context: authnContext } = payload;
  if (![iss, sub, aud, jti, sid].every(isText) || aud === MFA_AUDIENCE || ![iat, exp].every(isInstant))
    return undefined;
  if (!isTexts(roles) || !isTexts(methods)) return undefined;
  const hasClassInAmr = isClassForAmr(authnContext) && methods.at(-1) === authnContext;
  const amrClaim = (hasClassInAmr ? methods.slice(0, -1) : methods).join(' ');
  const amr = amrOf(amrClaim);
  if (amrText(amr) !== amrClaim || acr !== acrOf(amr)) return undefined;
  if (![clientId, scope, mfaMethod, idp, authnContext].every(isOptionalText)) return undefined;
  if (![authTime, mfaAt].every(isOptionalInstant)) return undefined;
  // Only logins through an identity provider may lack it.
  if (authTime === undefined && idp === undefined) return undefined;
  return withoutUndefined({
    issuer: iss as string,
    subject: sub as string,
    audience: aud as string,
    clientId: clientId as string | undefined,
    scope: scope as string | undefined,
    issuedAt: iat as number,
    expiresAt: exp as number,
    jti: jti as string,
    sid: sid as string,
    roles,
    amr,
    hasClassInAmr,
    authTime: authTime as number | undefined,
    mfaAt: mfaAt as number | undefined,
    mfaMethod: mfaMethod as string | undefined,
    idp: idp as string | undefined,
    authnContext: authnContext as string | undefined,
  });
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isOptionalText(value: unknown): value is string | undefined {
  return value === undefined || isText(value);
}

function isInstant(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function isOptionalInstant(value: unknown): value is number | undefined {
  return value === undefined || isInstant(value);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText);
}
