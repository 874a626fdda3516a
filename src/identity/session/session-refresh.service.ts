import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { SecurityEvents } from '../events/security-events.service.js';
import { type Tx, UnitOfWork } from '../../platform/persistence/unit-of-work.js';
import {
  classifyReuse,
  isUnused,
  KEPT_TOKENS,
  openSuccessor,
  type RefreshRecord,
  type SessionRejectionReason,
  sealSuccessor,
} from './refresh.js';
import { RefreshGrace } from './refresh-grace.task.js';
import { RefreshTokenStore } from './refresh-token.store.js';
import { hashSecret, isSecretForm, type OpenedSession, type RefreshToken, type Session } from './session.js';
import { RefreshProperties } from './session.properties.js';
import { SessionSecrets } from './session-secrets.service.js';
import { SessionWriter } from './session-writer.service.js';
import { Sessions } from './sessions.service.js';

const FORGOTTEN_AT_ONCE = 100;

/** Outcome of a refresh. */
export type Rotation<T> =
  | {
      /** `rotated` for the first use of the token, `repeated` for a use within the grace, which gets the same successor. */
      readonly kind: 'rotated' | 'repeated';
      readonly opened: OpenedSession;
      /** Result of the caller's check. */
      readonly admitted: T;
    }
  /** The session was refreshed too often; the token stays valid. */
  | { readonly kind: 'limited'; readonly waitSeconds: number }
  | { readonly kind: 'rejected'; readonly reason: SessionRejectionReason; readonly subject?: string };

/** Checks the account in the transaction of the refresh; an error rolls the refresh back. */
export type Admit<T> = (tx: Tx, session: Session) => Promise<T>;

/** Exchanges refresh tokens for their successors. */
@Injectable()
export class RefreshRotation {
  constructor(
    private readonly store: RefreshTokenStore,
    private readonly secrets: SessionSecrets,
    private readonly grace: RefreshGrace,
    private readonly clock: Clock,
    private readonly properties: RefreshProperties,
  ) {}

  async find(tx: Tx, value: string): Promise<RefreshRecord | undefined> {
    return isSecretForm(value) ? this.store.find(tx, hashSecret(value)) : undefined;
  }

  /** Sessions that a token may belong to by its value alone, whether or not it has a row. */
  sessionIds(value: string): readonly string[] {
    return this.secrets.sessionIds(value);
  }

  /** Uses a token up: returns the successor's value to one caller, undefined to every concurrent one. */
  async rotate(tx: Tx, value: string, { hash, sid }: RefreshRecord): Promise<string | undefined> {
    const successor = this.secrets.newToken(sid);
    const hasGrace = this.properties.grace.milliseconds > 0;
    const sealed = hasGrace ? sealSuccessor(value, successor, this.secrets.newNonce()) : null;
    const isFirst = await this.store.rotate(tx, hash, this.clock.seconds(), hashSecret(successor), sealed);
    if (isFirst && hasGrace) this.grace.schedule(hash);
    return isFirst ? successor : undefined;
  }

  /**
   * Seconds until the token may be rotated; undefined if it may be now. The token that was issued as many generations before as
   * the limit allows tells it: its row never changes, and of one generation one token is rotated, so replicas need no count.
   * If its row was deleted, the oldest one after it does.
   */
  async waitSeconds(tx: Tx, { sid, generation }: RefreshRecord): Promise<number | undefined> {
    const { maxRate } = this.properties;
    if (maxRate.isOff || generation <= maxRate.quota) return undefined;
    const now = this.clock.seconds();
    const issuedAt = await this.store.issuedSince(tx, sid, generation + 1 - maxRate.quota);
    // A time in the future means that the clock was set back.
    if (issuedAt === undefined || issuedAt > now) return undefined;
    const wait = issuedAt + maxRate.windowSeconds - now;
    return wait > 0 ? wait : undefined;
  }

  /** Now and then, the oldest tokens of a long family are deleted: their values still name the session. */
  async issueSuccessor(
    tx: Tx,
    session: Session,
    { generation }: RefreshRecord,
    successor: RefreshToken,
  ): Promise<void> {
    const next = generation + 1;
    await this.store.insert(tx, session, next, successor, this.clock.seconds());
    if (next % FORGOTTEN_AT_ONCE === 0) await this.store.forgetOldest(tx, session.id, next - KEPT_TOKENS);
  }

  /** Returns the same successor again for a token that was used within the grace, or the reason of the rejection. */
  async replay(tx: Tx, value: string, record: RefreshRecord): Promise<RefreshToken | SessionRejectionReason> {
    const now = this.clock.seconds();
    const verdict = classifyReuse(record, now, this.properties.grace.seconds);
    if (verdict !== 'repeated') return verdict;
    const { replacedBy, sealedSuccessor } = record;
    const successor = replacedBy === undefined ? undefined : await this.store.find(tx, replacedBy);
    if (successor?.supersededAt !== undefined) return 'superseded';
    if (!successor || !isUnused(successor, now) || sealedSuccessor === undefined) return 'reused';
    const opened = openSuccessor(value, sealedSuccessor);
    return opened === undefined ? 'reused' : { value: opened, expiresAt: successor.expiresAt };
  }
}

/** Extends sessions by their refresh tokens (authentication.md, 2.8). */
@Injectable()
export class SessionRefresh {
  constructor(
    private readonly tokens: RefreshRotation,
    private readonly writer: SessionWriter,
    private readonly sessions: Sessions,
    private readonly work: UnitOfWork,
    private readonly events: SecurityEvents,
  ) {}

  /**
   * Uses up a refresh token. Of concurrent callers, one rotates it. Reuse ends the session; that outcome is returned and
   * not thrown, so that the transaction commits.
   */
  rotate<T>(value: string, admit: Admit<T>): Promise<Rotation<T>> {
    return this.work.run(async (tx) => {
      const found = await this.tokens.find(tx, value);
      if (!found) return this.withoutRow(tx, value);
      const waitSeconds = found.rotatedAt === undefined ? await this.tokens.waitSeconds(tx, found) : undefined;
      if (waitSeconds !== undefined) return { kind: 'limited', waitSeconds };
      const [successor, session] = await Promise.all([
        this.tokens.rotate(tx, value, found),
        this.sessions.find(found.sid, tx),
      ]);
      if (successor !== undefined) return this.rotated(tx, found, successor, { session, admit });
      // The token was used, or its session ended, since it was read.
      const record = await this.tokens.find(tx, value);
      return record ? this.notRotated(tx, value, record, admit) : { kind: 'rejected', reason: 'session ended' };
    });
  }

  /** True if the token belongs to a session. */
  async isKnown(value: string): Promise<boolean> {
    return (await this.work.single((tx) => this.findSession(tx, value))) !== undefined;
  }

  /** The session a refresh token belongs to, whether or not the token itself can still be used. */
  async findSession(tx: Tx, value: string): Promise<{ readonly sid: string; readonly subject: string } | undefined> {
    const token = await this.tokens.find(tx, value);
    if (token) return { sid: token.sid, subject: token.subject };
    const session = await this.namedSession(tx, value);
    return session && { sid: session.id, subject: session.subject };
  }

  private async namedSession(tx: Tx, value: string): Promise<Session | undefined> {
    for (const sid of this.tokens.sessionIds(value)) {
      const session = await this.sessions.find(sid, tx);
      if (session) return session;
    }
    return undefined;
  }

  /**
   * The row of the newest token exists as long as its session: a token without a row that names a live session is an old one. The
   * row alone may not decide, since the holder of a session makes it disappear by refreshing often.
   */
  private async withoutRow(tx: Tx, value: string): Promise<Rotation<never>> {
    const session = await this.namedSession(tx, value);
    return session ? this.reused(tx, session.id, session.subject) : { kind: 'rejected', reason: 'unknown' };
  }

  private async reused(tx: Tx, sid: string, subject: string): Promise<Rotation<never>> {
    if (await this.sessions.end(tx, sid)) {
      await this.events.record(tx, { kind: 'TOKEN_REUSE', subject, result: 'refused' });
    }
    return { kind: 'rejected', reason: 'reused', subject };
  }

  private async rotated<T>(
    tx: Tx,
    used: RefreshRecord,
    value: string,
    { session: found, admit }: { readonly session: Session | undefined; readonly admit: Admit<T> },
  ): Promise<Rotation<T>> {
    // Locks the session's row: a concurrent step-up or end sees the successor, or this transaction sees their result.
    const session = found && (await this.writer.refreshed(tx, found));
    if (!session) return { kind: 'rejected', reason: 'session ended' };
    const refreshToken = { value, expiresAt: this.writer.expiryOfRefreshToken(session) };
    const [admitted] = await Promise.all([
      admit(tx, session),
      this.tokens.issueSuccessor(tx, session, used, refreshToken),
      this.events.record(tx, { kind: 'TOKEN_REFRESHED', subject: session.subject, amr: session.amr }),
    ]);
    return { kind: 'rotated', opened: { session, refreshToken }, admitted };
  }

  private async notRotated<T>(tx: Tx, value: string, record: RefreshRecord, admit: Admit<T>): Promise<Rotation<T>> {
    const { sid, subject } = record;
    const successor = await this.tokens.replay(tx, value, record);
    if (typeof successor === 'object') {
      const session = await this.sessions.find(sid, tx);
      if (!session) return { kind: 'rejected', reason: 'session ended', subject };
      const admitted = await admit(tx, session);
      return { kind: 'repeated', opened: { session, refreshToken: successor }, admitted };
    }
    return successor === 'reused' ? this.reused(tx, sid, subject) : { kind: 'rejected', reason: successor, subject };
  }
}
