import { Injectable } from '@nestjs/common';
import { withoutUndefined } from '../../kernel/collections/without-undefined.js';
import { SecurityEvents } from '../events/security-events.service.js';
import { MAX_SLICE, type Slice } from '../../platform/persistence/slice.js';
import { type Tx, UnitOfWork } from '../../platform/persistence/unit-of-work.js';
import { type Amr, PWD } from '../../kernel/principal/amr.js';
import {
  type ApplicationSession,
  type BrowserKind,
  type IdpLoginFacts,
  idpFactsOf,
  type LoginFacts,
  type OpenedSession,
  type StepUpFacts,
  type Session,
  type SessionKind,
} from './session.js';
import { type ApplicationFacts, SessionWriter } from './session-writer.service.js';
import { SessionStore } from './session.store.js';

export type { OpenedSession, Session } from './session.js';

/** Facts of a half-authenticated login. */
export interface HalfAuthenticatedFacts extends IdpLoginFacts {
  readonly subject: string;
  readonly securityStamp: number;
  /** The first factor; a password if unset. */
  readonly amr?: Amr;
  readonly authTime?: number;
  /** True if the user must set up a second factor, which takes longer than to enter a code. */
  readonly isEnrolment: boolean;
  /** The kind of the session of a password login, once it is complete. */
  readonly kind?: BrowserKind;
}

/** Facts of the event `SESSION_REVOKED`. */
export interface RevocationFacts {
  readonly reason: string;
  /** Operator or administrator who ended the session; undefined for its user. */
  readonly actor?: string;
}

/** A session changes its id once; the third pass is for a session that ended concurrently. */
const MAX_PASSES = 3;

/** An id that no session has. */
const NO_ID = '';

/** Sessions of applications and of the web portal: each is one row, and ends with its row. */
@Injectable()
export class Sessions {
  constructor(
    private readonly store: SessionStore,
    private readonly writer: SessionWriter,
    private readonly work: UnitOfWork,
    private readonly events: SecurityEvents,
  ) {}

  open(tx: Tx, { kind, ...facts }: LoginFacts & { readonly kind: SessionKind }): Promise<OpenedSession> {
    return this.writer.open(tx, kind, facts);
  }

  /**
   * A half-authenticated session of a browser, bound to the account's security stamp: 3 minutes long, or the time to set up a
   * second factor (`app.security.session.enrolment-timeout`).
   */
  openHalf(
    tx: Tx,
    { securityStamp, isEnrolment, kind, amr = PWD, ...facts }: HalfAuthenticatedFacts,
  ): Promise<OpenedSession> {
    return this.writer.openHalf(tx, { ...facts, amr }, { securityStamp, isEnrolment, ...withoutUndefined({ kind }) });
  }

  /** The live session of that id, full or half-authenticated; one read, or two for one that lasts no longer than its parent. */
  find(sid: string, tx?: Tx): Promise<Session | undefined> {
    return tx ? this.findLive(tx, sid) : this.work.single((own) => this.findLive(own, sid));
  }

  private async findLive(tx: Tx, sid: string): Promise<Session | undefined> {
    const session = await this.store.find(tx, sid);
    const parentId = session?.kind === 'app' ? session.application?.parentId : undefined;
    return parentId === undefined || (await this.store.find(tx, parentId)) ? session : undefined;
  }

  /** An id for the session of an application, which its authorization code names. */
  newId(): string {
    return this.writer.newId();
  }

  /** Opens the session of an application with the session of a browser, of which the caller holds the row. */
  openApplication(tx: Tx, parent: Session, facts: ApplicationFacts): Promise<OpenedSession> {
    return this.writer.openApplication(tx, parent, facts);
  }

  /**
   * Locks the row of a live, complete session of that account for the rest of the transaction, and reads it: whatever ends the
   * session does so before this transaction or after it. Undefined if there is none.
   */
  async hold(tx: Tx, sid: string, subject: string): Promise<Session | undefined> {
    return (await this.store.hold(tx, sid, subject)) ? this.store.find(tx, sid) : undefined;
  }

  /** The live session of that cookie; one read. */
  findBySecret(secret: string): Promise<Session | undefined> {
    return this.work.single((tx) => this.store.findBySecret(tx, secret));
  }

  /** The session of an application by its own cookie, with that of its browser; one read, undefined unless both are live. */
  findOfApplication(secret: string): Promise<ApplicationSession | undefined> {
    return this.work.single((tx) => this.store.findOfApplication(tx, secret));
  }

  /** Notes that a session was used, at most once a minute. */
  async touch(session: Session): Promise<void> {
    if (this.writer.isWorthTouching(session)) await this.work.single((tx) => this.writer.touch(tx, session));
  }

  /** Live, complete sessions of an account, newest first. */
  list(subject: string, page: Slice = MAX_SLICE): Promise<readonly Session[]> {
    return this.work.single((tx) => this.store.findByUser(tx, subject, page));
  }

  /**
   * Steps a session up after a proof of the second factor. It gets new facts and a new refresh token or cookie; the earlier
   * ones become invalid. Undefined if the session has ended.
   */
  stepUp(tx: Tx, sid: string, facts: StepUpFacts): Promise<OpenedSession | undefined> {
    return this.writer.stepUp(tx, sid, facts);
  }

  /**
   * Replaces the cookie of a session, and its refresh token if it has one: after a change of a credential, a copy of them must
   * not go on (ASVS 7.2.4). Undefined if the session has ended or has no cookie.
   */
  renew(tx: Tx, sid: string): Promise<OpenedSession | undefined> {
    return this.writer.renew(tx, sid);
  }

  /**
   * Replaces a half-authenticated session by a full one with another id and cookie, which keeps the facts of the identity
   * provider. Undefined if the half-authenticated session has ended or was replaced concurrently.
   */
  async upgrade(tx: Tx, halfSid: string, facts: LoginFacts): Promise<OpenedSession | undefined> {
    const [half, isEnded] = await Promise.all([this.store.find(tx, halfSid), this.store.endHalf(tx, halfSid)]);
    if (!half || !isEnded) return undefined;
    const opened = await this.open(tx, { ...facts, ...idpFactsOf(half), kind: half.kind });
    await this.endFormer(tx, await this.replacedBy(tx, half), opened.session);
    return opened;
  }

  /** Ends a session, with `subject` only one of that account; false if there is no such session. */
  async end(tx: Tx, sid: string, subject?: string): Promise<boolean> {
    const applications = await this.writer.end(tx, sid, subject);
    if (applications) await this.recordEnds(tx, applications);
    return applications !== undefined;
  }

  /**
   * Ends all sessions of an account but one, half-authenticated ones included, and those of all applications; returns their number.
   * The refresh token of an application may be a copy as well as a cookie may, which `renew` replaces.
   */
  endAll(tx: Tx, subject: string, exceptSid = NO_ID): Promise<number> {
    return this.endAllBut(tx, subject, { sid: exceptSid, parentId: NO_ID });
  }

  /**
   * Ends one session of an account and records the event; false if the account has no such session. A session without its second
   * factor ends with the one that it would have replaced.
   */
  async revoke(tx: Tx, sid: string, subject: string, facts: RevocationFacts): Promise<boolean> {
    const session = await this.store.find(tx, sid);
    const isEnded = await this.end(tx, sid, subject);
    if (!isEnded) return false;
    await this.events.record(tx, { kind: 'SESSION_REVOKED', subject, ...facts });
    if (session?.replaces !== undefined) await this.revoke(tx, session.replaces, subject, facts);
    return true;
  }

  /** Like `endAll`, but the applications of the excepted session go on; records one event if there was a session. */
  async revokeAll(tx: Tx, subject: string, facts: RevocationFacts, exceptSid = NO_ID): Promise<number> {
    const count = await this.endAllBut(tx, subject, { sid: exceptSid, parentId: exceptSid });
    if (count > 0) await this.events.record(tx, { kind: 'SESSION_REVOKED', subject, ...facts });
    return count;
  }

  /** Ends the sessions of one identity provider session (SAML profiles 4.4); returns the subject of each. */
  async endByIdpSession(tx: Tx, idpSession: string): Promise<readonly string[]> {
    const ended: string[] = [];
    let hasMissed = true;
    // A session that was half-authenticated when it was read may have been upgraded under another id in the meantime.
    for (let pass = 1; hasMissed && pass <= MAX_PASSES; pass += 1) {
      hasMissed = false;
      const found = await this.store.findByIdpSession(tx, idpSession);
      const ids = new Set(found.map(({ id }) => id));
      // Those of applications end with their parents.
      for (const { id, subject } of found.filter(({ application }) => !ids.has(application?.parentId ?? NO_ID))) {
        if (await this.end(tx, id)) ended.push(subject);
        else hasMissed = true;
      }
    }
    return ended;
  }

  /** Ends the session of a cookie. */
  endBySecret(secret: string): Promise<boolean> {
    return this.work.run((tx) => this.endByCookie(tx, secret, 'logout'));
  }

  /**
   * Ends the session of a browser that opens another one in the same transaction (ASVS 7.2.4). If it is the same user who signs in
   * again, the sessions of applications go on with the new one. If that lacks its second factor, they go on with the former one until
   * it is complete; the cookie and the refresh token of the former session are replaced, so that they no longer work.
   */
  async endReplaced(tx: Tx, secret: string | undefined, by: Session): Promise<void> {
    await this.endFormer(tx, secret === undefined ? undefined : await this.store.findBySecret(tx, secret), by);
  }

  /** As `endReplaced`, by the id of the session and without an event; false if the session does not end now. */
  async replace(tx: Tx, sid: string, by: Session): Promise<boolean> {
    const former = await this.store.find(tx, sid);
    return former !== undefined && this.succeed(tx, former, by);
  }

  private async endFormer(tx: Tx, former: Session | undefined, by: Session): Promise<void> {
    if (!former || !(await this.succeed(tx, former, by))) return;
    await this.events.record(tx, { kind: 'SESSION_REVOKED', subject: former.subject, reason: 'replaced' });
  }

  private async succeed(tx: Tx, former: Session, by: Session): Promise<boolean> {
    const before = await this.replacedBy(tx, former);
    if (before) await this.succeed(tx, before, by);
    const isComplete = ({ halfSecurityStamp }: Session): boolean => halfSecurityStamp === undefined;
    if (isComplete(former) && !isComplete(by) && former.subject === by.subject) {
      await this.store.replaceLater(tx, former.id, by.id);
      await this.writer.renew(tx, former.id);
      return false;
    }
    await this.writer.moveApplications(tx, former.id, by);
    return this.end(tx, former.id);
  }

  /** The live session that a half-authenticated one replaces when it is complete. */
  private async replacedBy(tx: Tx, { replaces }: Session): Promise<Session | undefined> {
    return replaces === undefined ? undefined : this.store.find(tx, replaces);
  }

  private async endAllBut(
    tx: Tx,
    subject: string,
    except: { readonly sid: string; readonly parentId: string },
  ): Promise<number> {
    const { count, applications } = await this.writer.endAll(tx, subject, except);
    await this.recordEnds(tx, applications);
    return count;
  }

  /** The relay of these events tells the applications (OpenID Connect Back-Channel Logout). */
  private async recordEnds(tx: Tx, ended: readonly Session[]): Promise<void> {
    for (const { id: sid, subject, application } of ended) {
      const detail = { client: application?.clientId ?? '', sid };
      await this.events.record(tx, { kind: 'APPLICATION_SIGNED_OUT', subject, detail });
    }
  }

  private async endByCookie(tx: Tx, secret: string, reason: string): Promise<boolean> {
    const session = await this.store.findBySecret(tx, secret);
    return session !== undefined && this.revoke(tx, session.id, session.subject, { reason });
  }
}
