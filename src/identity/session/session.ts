import { hash } from 'node:crypto';
import { withoutUndefined } from '../../kernel/collections/without-undefined.js';
import type { Amr } from '../../kernel/principal/amr.js';
import type { AuthenticationFacts } from '../../kernel/principal/principal.js';

/**
 * Kind of a session: `token` for programs with a refresh cookie, `portal` for browsers with a session cookie, `kept` for
 * those whose user chose to stay signed in, `staff` for browsers that signed in at an identity provider and have both. A session of an application belongs to that of a browser: `app`
 * lasts no longer than it, and `offline` (OpenID Connect Core section 11) outlasts its idle time. Both end when it is ended.
 */
export type SessionKind = 'token' | BrowserKind | 'staff' | ApplicationKind;
/** Kinds of sessions of browsers without a refresh token. */
export type BrowserKind = 'portal' | 'kept';
export type ApplicationKind = 'app' | 'offline';

/** The part of a session that only those of applications have. */
export interface Application {
  /** The session of the browser. */
  readonly parentId: string;
  readonly clientId: string;
  /** Granted scopes, separated by blanks. */
  readonly scope: string;
}

/** Facts that a login proved, as a session stores them. */
export interface LoginFacts extends AuthenticationFacts {
  readonly subject: string;
  /** Latest end, if the identity provider sets one (SessionNotOnOrAfter, SAML core 2.7.2). */
  readonly endsAt?: number;
  /** The session of the identity provider that it belongs to, for single logout. */
  readonly idpSession?: string;
}

/** A login in progress or complete; instants are epoch seconds. */
export interface Session extends LoginFacts {
  /** `sid` of its access tokens; never the value of a cookie. */
  readonly id: string;
  readonly kind: SessionKind;
  /** Set while the second factor is open: the security stamp of the account the session is bound to. */
  readonly halfSecurityStamp?: number;
  /** The session of the same user that it replaces when it is complete; set only while the second factor is open. */
  readonly replaces?: string;
  readonly createdAt: number;
  readonly lastUsedAt: number;
  /** When the session expires unless it is used before. */
  readonly expiresAt: number;
  readonly ip?: string;
  readonly agent?: string;
  readonly application?: Application;
}

/** The session of an application that has a cookie of its own, and the session of the browser that it belongs to. */
export interface ApplicationSession {
  readonly session: Session;
  readonly parent: Session;
}

/** Facts of a login through an identity provider, which a session keeps through every later proof. */
export type IdpLoginFacts = Pick<LoginFacts, 'idp' | 'authnContext' | 'endsAt' | 'idpSession'>;

export function idpFactsOf({ idp, authnContext, endsAt, idpSession }: IdpLoginFacts): IdpLoginFacts {
  return withoutUndefined({ idp, authnContext, endsAt, idpSession });
}

/** Facts of a second factor that was proven again. */
export interface StepUpFacts {
  readonly amr: Amr;
  readonly mfaAt: number;
  readonly mfaMethod: string;
}

/** A refresh token; its value exists in the cookie only. */
export interface RefreshToken {
  readonly value: string;
  /** Epoch seconds. */
  readonly expiresAt: number;
}

/**
 * A session with its credentials: a refresh token for kind `token`, a secret for `portal`, both for `staff`, one of them for
 * an application.
 */
export interface OpenedSession {
  readonly session: Session;
  readonly refreshToken?: RefreshToken;
  readonly secret?: string;
}

/** Limits of a session, in seconds. */
export interface Lifetime {
  readonly idle: number;
  readonly absolute: number;
}

interface LifetimesByUse {
  readonly browser: Lifetime;
  readonly application: Lifetime;
  /** Seconds that a browser stays signed in if its user chose that; undefined if users cannot choose it any more. */
  readonly kept?: number;
}

/** True for the session of a browser without a refresh token. */
export function isBrowserKind(kind: SessionKind): kind is BrowserKind {
  return kind === 'portal' || kind === 'kept';
}

/** How long sessions of each kind last. */
export class SessionLifetimes {
  private readonly byKind: Readonly<Record<SessionKind, Lifetime>>;

  /** `enrolment` is how long a session waits for its user to set up a second factor. */
  constructor(
    { browser, application, kept }: LifetimesByUse,
    private readonly enrolment: number,
  ) {
    const ofKept = kept === undefined ? browser : { idle: kept, absolute: kept };
    const ofBrowsers = { portal: browser, kept: ofKept, staff: browser, app: browser };
    this.byKind = { ...ofBrowsers, token: application, offline: application };
  }

  of(kind: SessionKind): Lifetime {
    return this.byKind[kind];
  }

  /** Seconds of a session without its second factor; it lasts longer if the user first has to set one up. */
  ofHalf(isEnrolment: boolean): number {
    return isEnrolment ? this.enrolment : HALF_AUTHENTICATED_SECONDS;
  }
}

/** Specification, "Authentication" item 6: as long as the token of the other arrangement. */
const HALF_AUTHENTICATED_SECONDS = 180;
/** 256 bits (security-requirements.md, S3). */
export const SECRET_BYTES = 32;
const TOUCH_SECONDS = 60;

/** When a session that is used now expires unless it is used again. */
export function expiryOfSession(
  { createdAt, endsAt }: Pick<Session, 'createdAt' | 'endsAt'>,
  now: number,
  { idle, absolute }: Lifetime,
): number {
  return Math.min(createdAt + absolute, now + idle, endsAt ?? Infinity);
}

/** Limits writes to one in a minute; a short idle time is tracked more closely, so that the session never ends much too early. */
export function isWorthTouching({ lastUsedAt }: Session, now: number, { idle }: Lifetime): boolean {
  return now - lastUsedAt >= Math.min(TOUCH_SECONDS, Math.floor(idle / 10));
}

/** Hash under which refresh tokens and cookie secrets are stored (SHA-256). The secrets are random, so it has no salt. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

/** True if a text has the form of a secret of ours; no other text is looked up. */
export function isSecretForm(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}
