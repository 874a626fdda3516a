import * as v from 'valibot';
import type { Cache } from '../../platform/cache/cache.js';
import type { CacheManager } from '../../platform/cache/cache-manager.service.js';
import type { Clock } from '../../kernel/clock/clock.js';
import type { Tx } from '../../platform/persistence/unit-of-work.js';
import { AMR_METHODS } from '../../kernel/principal/amr.js';
import { authenticationFactsOf } from '../../kernel/principal/principal.js';
import { hashSecret, isSecretForm, type Session } from './session.js';

/** Beyond this number of changed sessions, all copies are refused for a while instead. */
const MAX_CHANGED = 10_000;

const seconds = v.pipe(v.number(), v.integer());
const instant = v.exactOptional(seconds);
const text = v.exactOptional(v.string());

/** A complete session, without its address, its browser and its session at the identity provider. */
const copySchema = v.strictObject({
  id: v.string(),
  subject: v.string(),
  kind: v.picklist(['token', 'portal', 'staff']),
  amr: v.array(v.picklist(AMR_METHODS)),
  ...{ authTime: instant, mfaAt: instant, mfaMethod: text, idp: text, authnContext: text },
  ...{ createdAt: seconds, lastUsedAt: seconds, expiresAt: seconds },
});

type SessionCopy = v.InferOutput<typeof copySchema>;

/**
 * Copies of live sessions in the cache `sessions`, for the routes that accept an age of `app.cache.sessions.max-age`. A session
 * that ends or changes in this process has no copies from then on: it is remembered for as long as an earlier copy could live,
 * wherever that copy is and whenever it was stored. Other replicas may see the session until their copy is too old.
 */
export class SessionCopies {
  private readonly cache: Cache<SessionCopy> | undefined;
  /** Ids and subjects, with the milliseconds since 1970 until which they have no copies; in that order. */
  private readonly changed = new Map<string, number>();
  private refusedUntil = 0;

  constructor(
    private readonly maxAgeMillis: number,
    private readonly clock: Clock,
    caches?: CacheManager,
  ) {
    if (maxAgeMillis > 0) this.cache = caches?.open({ name: 'sessions', schema: copySchema, maxAgeMillis });
  }

  find(id: string, read: () => Promise<Session | undefined>): Promise<Session | undefined> {
    return this.cache ? this.findIn(this.cache, `id:${id}`, read) : read();
  }

  findBySecret(secret: string, read: () => Promise<Session | undefined>): Promise<Session | undefined> {
    return this.cache && isSecretForm(secret) ? this.findIn(this.cache, `cookie:${hashSecret(secret)}`, read) : read();
  }

  /** After the commit, there are no copies of the session, or of all sessions of an account. */
  dropAfterCommit(tx: Tx, idOrSubject: string): void {
    if (this.cache) {
      tx.afterCommit(() => {
        this.drop(idOrSubject);
      });
    }
  }

  private async findIn(
    cache: Cache<SessionCopy>,
    key: string,
    read: () => Promise<Session | undefined>,
  ): Promise<Session | undefined> {
    const copy = await cache.get(key);
    if (copy && this.isUsable(copy)) return copy;
    const startedAt = this.clock.millis();
    const session = await read();
    if (session && session.halfSecurityStamp === undefined) {
      cache.put(key, this.copyOf(session), startedAt + this.maxAgeMillis - this.clock.millis());
    }
    return session;
  }

  /** The request that read the session notes its use, so those that get the copy need not. */
  private copyOf(session: Session): SessionCopy {
    const { id, subject, kind, createdAt, expiresAt } = session;
    const { amr, ...facts } = authenticationFactsOf(session);
    return { id, subject, kind, amr: [...amr], ...facts, createdAt, lastUsedAt: this.clock.seconds(), expiresAt };
  }

  private isUsable({ id, subject, expiresAt }: SessionCopy): boolean {
    const now = this.clock.millis();
    const hasChanged = now < this.refusedUntil || this.isChanged(id, now) || this.isChanged(subject, now);
    return !hasChanged && now < expiresAt * 1000;
  }

  private isChanged(key: string, now: number): boolean {
    const until = this.changed.get(key);
    return until !== undefined && now < until;
  }

  private drop(key: string): void {
    const now = this.clock.millis();
    for (const [oldest, until] of this.changed) {
      if (now < until) break;
      this.changed.delete(oldest);
    }
    if (this.changed.size >= MAX_CHANGED) {
      this.changed.clear();
      this.refusedUntil = now + this.maxAgeMillis;
    }
    this.changed.delete(key);
    this.changed.set(key, now + this.maxAgeMillis);
  }
}
