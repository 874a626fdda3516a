import { Injectable } from '@nestjs/common';
import { withoutUndefined } from '../../kernel/collections/without-undefined.js';
import { Clock } from '../../kernel/clock/clock.js';
import type { Tx } from '../../platform/persistence/unit-of-work.js';
import { authenticationFactsOf } from '../../kernel/principal/principal.js';
import { requestContext } from '../../kernel/principal/request-context.js';
import { RefreshTokenStore } from './refresh-token.store.js';
import {
  type Application,
  type ApplicationKind,
  type BrowserKind,
  expiryOfSession,
  hashSecret,
  idpFactsOf,
  isBrowserKind,
  isWorthTouching,
  type LoginFacts,
  type OpenedSession,
  type RefreshToken,
  type StepUpFacts,
  type Session,
  type SessionKind,
  SessionLifetimes,
} from './session.js';
import { SessionSecrets } from './session-secrets.service.js';
import { SessionStore } from './session.store.js';

/** Facts about the session of an application that a code has named. */
export interface ApplicationFacts extends Omit<Application, 'parentId'> {
  /** The id of the session, which its authorization code has named. */
  readonly id: string;
  readonly kind: ApplicationKind;
  /** True if a cookie identifies the session in place of a refresh token. It then lasts exactly as long as the browser's. */
  readonly hasCookie?: boolean;
}

const IP_LENGTH = 45;
const AGENT_LENGTH = 255;

/** Stores sessions with the secrets of their cookies and with their refresh tokens, extends them, and replaces both. */
@Injectable()
export class SessionWriter {
  constructor(
    private readonly store: SessionStore,
    private readonly tokens: RefreshTokenStore,
    private readonly secrets: SessionSecrets,
    private readonly lifetimes: SessionLifetimes,
    private readonly clock: Clock,
  ) {}

  newId(): string {
    return this.secrets.newId();
  }

  /** Stores a session, and the first refresh token of its family unless it is one of the portal. */
  async open(tx: Tx, kind: SessionKind, facts: LoginFacts): Promise<OpenedSession> {
    const session = this.fresh(kind, facts);
    const secret = kind === 'token' ? undefined : this.secrets.newCookie();
    const [refreshToken] = await Promise.all([
      isBrowserKind(kind) ? undefined : this.issueToken(tx, session, 1),
      this.insert(tx, session, secret),
    ]);
    return { session, ...withoutUndefined({ secret, refreshToken }) };
  }

  /** Stores a session without its second factor; it lasts longer if the user first has to set one up. */
  async openHalf(
    tx: Tx,
    facts: LoginFacts,
    half: { readonly securityStamp: number; readonly isEnrolment: boolean; readonly kind?: BrowserKind },
  ): Promise<OpenedSession> {
    const fresh = this.fresh(facts.idp === undefined ? (half.kind ?? 'portal') : 'staff', facts);
    const expiresAt = Math.min(fresh.createdAt + this.lifetimes.ofHalf(half.isEnrolment), fresh.expiresAt);
    const session = { ...fresh, halfSecurityStamp: half.securityStamp, expiresAt };
    const secret = this.secrets.newCookie();
    await this.insert(tx, session, secret);
    return { session, secret };
  }

  /**
   * Stores the session of an application with its first refresh token, or with the secret of its cookie. It has the facts of the browser's session, and lasts no
   * longer than that at most could, unless it is offline.
   */
  async openApplication(
    tx: Tx,
    parent: Session,
    { id, kind, hasCookie = false, ...application }: ApplicationFacts,
  ): Promise<OpenedSession> {
    const { subject, ip, agent } = parent;
    const { endsAt = Infinity, ...ofIdp } = idpFactsOf(parent);
    const latest =
      kind === 'app' ? Math.min(endsAt, parent.createdAt + this.lifetimes.of(parent.kind).absolute) : endsAt;
    const facts = { subject, ...authenticationFactsOf(parent), ...ofIdp, ...(latest < Infinity && { endsAt: latest }) };
    const session = {
      ...this.fresh(kind, facts, id),
      ...withoutUndefined({ ip, agent }),
      // Without a refresh there is nothing that would extend it: it is live while the browser's session is.
      ...(hasCookie && { expiresAt: latest }),
      application: { ...application, parentId: parent.id },
    };
    const secret = hasCookie ? this.secrets.newCookie() : undefined;
    const [refreshToken] = await Promise.all([
      hasCookie ? undefined : this.issueToken(tx, session, 1),
      this.insert(tx, session, secret),
    ]);
    return { session, ...withoutUndefined({ secret, refreshToken }) };
  }

  /** When a refresh token of the session expires: the use of a cookie extends staff sessions, but not their refresh tokens. */
  expiryOfRefreshToken({ kind, createdAt, endsAt = Infinity, expiresAt }: Session): number {
    return kind === 'staff' ? Math.min(createdAt + this.lifetimes.of(kind).absolute, endsAt) : expiresAt;
  }

  /** A half-authenticated session is never extended. */
  isWorthTouching(session: Session): boolean {
    const isFull = session.halfSecurityStamp === undefined;
    return isFull && isWorthTouching(session, this.clock.seconds(), this.lifetimes.of(session.kind));
  }

  touch(tx: Tx, session: Session): Promise<void> {
    const now = this.clock.seconds();
    return this.store.touch(tx, session, now, this.expiryAt(session, now));
  }

  /** Extends a session that is refreshed now, and locks its row; undefined if it has ended. */
  async refreshed(tx: Tx, session: Session): Promise<Session | undefined> {
    const now = this.clock.seconds();
    if (session.kind === 'app' && !(await this.useParent(tx, session, now))) return undefined;
    const expiresAt = this.expiryAt(session, now);
    const isLive = await this.store.use(tx, session.id, now, expiresAt);
    return isLive ? { ...session, lastUsedAt: now, expiresAt } : undefined;
  }

  /**
   * Stores new facts, and replaces the credentials; undefined if the session has ended or is not complete. The cookies of
   * applications end with that of the browser, here and in `renew`: a copy of one must not gain what the user proves now.
   */
  async stepUp(tx: Tx, sid: string, facts: StepUpFacts): Promise<OpenedSession | undefined> {
    const session = await this.store.find(tx, sid);
    if (!session) return undefined;
    const secret = session.kind !== 'token' ? this.secrets.newCookie() : undefined;
    const secretHash = secret === undefined ? null : hashSecret(secret);
    if (!(await this.store.stepUp(tx, sid, facts, secretHash))) return undefined;
    await this.store.endCookiesOfParent(tx, sid);
    return this.withNewToken(tx, { session: { ...session, ...facts }, ...withoutUndefined({ secret }) });
  }

  /** Replaces the credentials of a session; undefined if it has ended, is not complete or has no cookie. */
  async renew(tx: Tx, sid: string): Promise<OpenedSession | undefined> {
    const session = await this.store.find(tx, sid);
    if (!session || session.kind === 'token') return undefined;
    const secret = this.secrets.newCookie();
    if (!(await this.store.renew(tx, sid, hashSecret(secret)))) return undefined;
    await this.store.endCookiesOfParent(tx, sid);
    return this.withNewToken(tx, { session, secret });
  }

  /**
   * Deletes a session, with `subject` only one of that account, the sessions of its applications and all their refresh tokens.
   * Returns the sessions of applications that have ended, or undefined if there is no such session. The row of the browser comes
   * first: no application signs in with it after that.
   */
  async end(tx: Tx, sid: string, subject?: string): Promise<readonly Session[] | undefined> {
    const [own] = await this.store.findApplications(tx, sid);
    if (!(await this.store.end(tx, sid, subject))) return undefined;
    const applications = await this.store.findApplications(tx, sid);
    if (applications.length > 0) await this.store.deleteByParent(tx, sid);
    for (const { id } of [{ id: sid }, ...applications]) await this.tokens.deleteBySession(tx, id);
    return own?.id === sid ? [own] : applications;
  }

  /** Lets the sessions of applications go on with another session of the same account; those with cookies sign in again. */
  moveApplications(tx: Tx, former: string, session: Session): Promise<void> {
    return this.store.moveToParent(tx, former, session);
  }

  /**
   * Deletes all sessions of an account but one and the applications of one, and their refresh tokens. Returns the number of
   * sessions that have ended, and those of applications among them; the order is that of `end`.
   */
  async endAll(
    tx: Tx,
    subject: string,
    except: { readonly sid: string; readonly parentId: string },
  ): Promise<{ readonly count: number; readonly applications: readonly Session[] }> {
    const count = await this.store.deleteByUser(tx, subject, except.sid);
    const applications = await this.store.findApplicationsByUser(tx, subject, except.parentId);
    if (applications.length > 0) await this.store.deleteApplicationsByUser(tx, subject, except.parentId);
    await this.tokens.deleteByUser(tx, subject, except);
    return { count: count + applications.length, applications };
  }

  /** Issues a token that supersedes the current one; a use of the superseded token is no sign of theft. */
  private async withNewToken(tx: Tx, changed: OpenedSession): Promise<OpenedSession> {
    const { session } = changed;
    if (isBrowserKind(session.kind)) return changed;
    await this.tokens.supersede(tx, session.id, this.clock.seconds());
    const generation = (await this.tokens.lastGeneration(tx, session.id)) + 1;
    return { ...changed, refreshToken: await this.issueToken(tx, session, generation) };
  }

  private async issueToken(tx: Tx, session: Session, generation: number): Promise<RefreshToken> {
    const token = { value: this.secrets.newToken(session.id), expiresAt: this.expiryOfRefreshToken(session) };
    await this.tokens.insert(tx, session, generation, token, this.clock.seconds());
    return token;
  }

  /** The use of an application is a use of the browser's session; false if that has ended. */
  private async useParent(tx: Tx, { application }: Session, now: number): Promise<boolean> {
    const parent = application && (await this.store.find(tx, application.parentId));
    return parent !== undefined && this.store.use(tx, parent.id, now, this.expiryAt(parent, now));
  }

  private insert(tx: Tx, session: Session, secret: string | undefined): Promise<void> {
    return this.store.insert(tx, session, secret === undefined ? null : hashSecret(secret));
  }

  private expiryAt(session: Session, now: number): number {
    return expiryOfSession(session, now, this.lifetimes.of(session.kind));
  }

  private fresh(kind: SessionKind, facts: LoginFacts, id = this.secrets.newId()): Session {
    const now = this.clock.seconds();
    const { ip, agent } = requestContext() ?? {};
    return {
      id,
      kind,
      ...facts,
      createdAt: now,
      lastUsedAt: now,
      expiresAt: expiryOfSession({ createdAt: now, ...idpFactsOf(facts) }, now, this.lifetimes.of(kind)),
      ...(ip !== undefined && { ip: ip.slice(0, IP_LENGTH) }),
      ...(agent !== undefined && { agent: agent.slice(0, AGENT_LENGTH) }),
    };
  }
}
