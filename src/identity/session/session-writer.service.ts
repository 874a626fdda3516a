import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Random, timeOrderedId } from '../../kernel/random/random.js';
import type { Tx } from '../../platform/persistence/unit-of-work.js';
import { requestContext } from '../../kernel/principal/request-context.js';
import { RefreshProperties, SessionProperties } from './session.properties.js';
import {
  expiryOfSession,
  HALF_AUTHENTICATED_SECONDS,
  hashSecret,
  isWorthTouching,
  idpFactsOf,
  type Lifetime,
  type LoginFacts,
  type StepUpFacts,
  SECRET_BYTES,
  type Session,
  type SessionKind,
} from './session.js';
import { SessionStore } from './session.store.js';

const IP_LENGTH = 45;
const AGENT_LENGTH = 255;

/** A session that is not stored yet; one of a browser has the secret of its cookie. */
export interface NewSession {
  readonly session: Session;
  readonly secret?: string;
}

/** Creates and extends sessions: their lifetimes, and the secrets of their cookies. */
@Injectable()
export class SessionWriter {
  private readonly lifetimes: Readonly<Record<SessionKind, Lifetime>>;

  constructor(
    private readonly store: SessionStore,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly portal: SessionProperties,
    refresh: RefreshProperties,
  ) {
    const ofBrowsers = secondsOf(portal);
    this.lifetimes = { portal: ofBrowsers, staff: ofBrowsers, token: secondsOf(refresh) };
  }

  create(kind: SessionKind, facts: LoginFacts): NewSession {
    const session = this.fresh(kind, facts);
    return kind === 'token' ? { session } : this.withSecret(session);
  }

  /** A session without its second factor; it lasts longer if the user first has to set one up. */
  createHalf(facts: LoginFacts, halfSecurityStamp: number, isEnrolment: boolean): Required<NewSession> {
    const session = this.fresh(facts.idp === undefined ? 'portal' : 'staff', facts);
    const seconds = isEnrolment ? this.enrolmentSeconds : HALF_AUTHENTICATED_SECONDS;
    const expiresAt = Math.min(session.createdAt + seconds, session.expiresAt);
    return this.withSecret({ ...session, halfSecurityStamp, expiresAt });
  }

  private get enrolmentSeconds(): number {
    return Math.ceil(this.portal.enrolmentTimeout.seconds);
  }

  insert(tx: Tx, { session, secret }: NewSession): Promise<void> {
    return this.store.insert(tx, session, secret === undefined ? null : hashSecret(secret));
  }

  /** When a refresh token of the session expires: the use of a cookie extends staff sessions, but not their refresh tokens. */
  expiryOfRefreshToken({ kind, createdAt, endsAt = Infinity, expiresAt }: Session): number {
    return kind === 'staff' ? Math.min(createdAt + this.lifetimes.staff.absolute, endsAt) : expiresAt;
  }

  /** A half-authenticated session is never extended. */
  isWorthTouching(session: Session): boolean {
    const isFull = session.halfSecurityStamp === undefined;
    return isFull && isWorthTouching(session, this.clock.seconds(), this.lifetimes[session.kind]);
  }

  touch(tx: Tx, session: Session): Promise<void> {
    const now = this.clock.seconds();
    return this.store.touch(tx, session, now, expiryOfSession(session, now, this.lifetimes[session.kind]));
  }

  /** Extends a session that is refreshed now, and locks its row; undefined if it has ended. */
  async refreshed(tx: Tx, session: Session): Promise<Session | undefined> {
    const now = this.clock.seconds();
    const expiresAt = expiryOfSession(session, now, this.lifetimes[session.kind]);
    const isLive = await this.store.use(tx, session.id, now, expiresAt);
    return isLive ? { ...session, lastUsedAt: now, expiresAt } : undefined;
  }

  /** Stores new facts, and a new secret if the session has a cookie; undefined if it has ended or is not complete. */
  async stepUp(tx: Tx, sid: string, facts: StepUpFacts): Promise<{ session: Session; secret?: string } | undefined> {
    const session = await this.store.find(tx, sid);
    if (!session) return undefined;
    const secret = session.kind !== 'token' ? this.random.text(SECRET_BYTES) : undefined;
    const secretHash = secret === undefined ? null : hashSecret(secret);
    const isLive = await this.store.stepUp(tx, sid, facts, secretHash);
    return isLive ? { session: { ...session, ...facts }, ...(secret !== undefined && { secret }) } : undefined;
  }

  /** Stores a new secret for the cookie of a session; undefined if it has ended, is not complete or has no cookie. */
  async renew(tx: Tx, sid: string): Promise<Required<NewSession> | undefined> {
    const session = await this.store.find(tx, sid);
    if (!session || session.kind === 'token') return undefined;
    const renewed = this.withSecret(session);
    return (await this.store.renew(tx, sid, hashSecret(renewed.secret))) ? renewed : undefined;
  }

  private withSecret(session: Session): Required<NewSession> {
    return { session, secret: this.random.text(SECRET_BYTES) };
  }

  private fresh(kind: SessionKind, facts: LoginFacts): Session {
    const now = this.clock.seconds();
    const id = timeOrderedId(this.clock.millis(), this.random.bytes(10));
    const { ip, agent } = requestContext() ?? {};
    return {
      id,
      kind,
      ...facts,
      createdAt: now,
      lastUsedAt: now,
      expiresAt: expiryOfSession({ createdAt: now, ...idpFactsOf(facts) }, now, this.lifetimes[kind]),
      ...(ip !== undefined && { ip: ip.slice(0, IP_LENGTH) }),
      ...(agent !== undefined && { agent: agent.slice(0, AGENT_LENGTH) }),
    };
  }
}

function secondsOf({ idle, absolute }: SessionProperties | RefreshProperties): Lifetime {
  return { idle: idle.seconds, absolute: absolute.seconds };
}
