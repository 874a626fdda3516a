import { Injectable } from '@nestjs/common';
import { Clock } from '../clock/clock.js';
import { ServiceError } from '../errors/service-error.js';
import type { Logger } from '../logging/logger.js';
import { Loggers } from '../logging/loggers.js';
import { type Tx, UnitOfWork } from '../persistence/unit-of-work.js';
import { setUser } from '../principal/request-context.js';
import type { Account, PasswordVerdict } from './account.js';
import { type AccountFilter, AccountStore, type StoredAccount, withoutHash } from './account.store.js';
import { Decoys } from './password/decoys.service.js';
import { pseudonym } from './login-id.js';
import { LoginIds } from './login-ids.service.js';
import { PasswordHasher } from './password/password-hasher.js';
import { kindOf, kindText } from './password/password-kind.js';
import { parsePasswordHash } from './password/password-hash.js';
import { MAX_PASSWORD_BYTES } from './password/password-rules.js';
import { PasswordThrottle } from './throttle/password-throttle.service.js';

/** One try at the password step. */
export interface PasswordAttempt {
  readonly loginId: string;
  readonly password: string;
  /** Value of the device cookie, where the browser has one. */
  readonly device?: string | undefined;
}

/** Finds accounts and verifies their passwords. */
@Injectable()
export class Accounts {
  private readonly log: Logger;

  constructor(
    private readonly store: AccountStore,
    private readonly work: UnitOfWork,
    private readonly loginIds: LoginIds,
    private readonly hasher: PasswordHasher,
    private readonly decoys: Decoys,
    private readonly throttle: PasswordThrottle,
    private readonly clock: Clock,
    loggers: Loggers,
  ) {
    this.log = loggers.get('account');
  }

  async find(subject: string, tx?: Tx): Promise<Account | undefined> {
    const stored = await (tx ? this.store.find(tx, subject) : this.work.single((own) => this.store.find(own, subject)));
    return stored && withoutHash(stored);
  }

  async findByLoginId(loginId: string): Promise<Account | undefined> {
    const form = this.normalise(loginId);
    const stored = await this.work.single((tx) => this.store.findByLoginId(tx, form));
    return stored && withoutHash(stored);
  }

  /** Accounts in the order of their login ids; `query` and `after` in any spelling. */
  async list({ query, after, ...filter }: AccountFilter): Promise<readonly Account[]> {
    const form = query === undefined ? undefined : this.loginIds.formOf(query);
    // No login id has a part that cannot be one; an empty query does not filter.
    if (query !== undefined && query.trim() !== '' && form === undefined) return [];
    const last = after === undefined ? undefined : (this.loginIds.formOf(after) ?? after);
    const page = { ...filter, query: form, after: last };
    return (await this.work.single((tx) => this.store.page(tx, page))).map(withoutHash);
  }

  /** @throws ServiceError `VALIDATION_FAILED` where the text is no login id */
  normalise(loginId: string): string {
    return this.loginIds.normalise(loginId);
  }

  /**
   * Locks the account's row for the rest of the transaction; false when the account is no longer active, or its security stamp
   * has been raised since `securityStamp` was read.
   */
  holds(tx: Tx, subject: string, securityStamp: number): Promise<boolean> {
    return this.store.holds(tx, subject, securityStamp);
  }

  /**
   * The password step. A rejection costs the work of one hash of a kind that accounts have, whether or not there is such
   * an account.
   * @throws ServiceError `VALIDATION_FAILED` by form alone; `RATE_LIMITED`; `UNAVAILABLE`
   */
  async verifyPassword({ loginId, password, device }: PasswordAttempt): Promise<PasswordVerdict> {
    const form = this.normalise(loginId);
    setUser(pseudonym(form));
    checkLength(password, 'pw');
    const read = (): Promise<StoredAccount | undefined> => this.work.single((tx) => this.store.findByLoginId(tx, form));
    const known = device === undefined ? undefined : this.throttle.deviceOf(device);
    // Read once, found or not: a second read for unknown ids would tell them by its time.
    const early = known && { stored: await read() };
    // The cookie of one account is nothing for another one.
    const guessed = known && early?.stored?.id === known.subject ? { device: known } : { loginId: form };
    return this.throttle.guard(
      guessed,
      async () => this.judged(form, early ? early.stored : await read(), password),
      ({ kind }) => kind !== 'refused',
    );
  }

  /**
   * Verifies the password of somebody who is signed in, where a request asks for it again in `field`. Tries of strangers
   * at the login do not count here, nor these there.
   * @throws ServiceError as `verifyPassword`
   */
  verifyPasswordOf(subject: string, password: string, field = 'pw'): Promise<PasswordVerdict> {
    checkLength(password, field);
    return this.throttle.guard(
      { subject },
      async () => {
        const stored = await this.work.single((tx) => this.store.find(tx, subject));
        const verdict = await this.judged(stored?.loginId ?? subject, stored, password);
        // A temporary password proves nothing beyond the login that replaces it.
        return verdict.kind === 'temporary' ? { kind: 'refused', reason: 'wrong_password', subject } : verdict;
      },
      ({ kind }) => kind === 'right',
    );
  }

  private async judged(loginId: string, stored: StoredAccount | undefined, password: string): Promise<PasswordVerdict> {
    const hash = stored?.passwordHash === undefined ? undefined : parsePasswordHash(stored.passwordHash);
    // Looked up for each login id, so that no path is shorter than another.
    const decoy = await this.decoys.decoyOf(loginId);
    const isRight = await this.hasher.verify(password, hash, decoy?.hash);
    const kind = hash ? kindOf(stored?.passwordHash ?? '') : decoy?.kind;
    this.log.debug('A password was compared', { work: kind === undefined ? 'as a new hash' : kindText(kind) });
    if (!stored) return { kind: 'refused', reason: 'unknown' };
    const { id: subject } = stored;
    if (stored.status !== 'active') return { kind: 'refused', reason: 'disabled', subject };
    if (stored.passwordHash === undefined) return { kind: 'refused', reason: 'no_password', subject };
    if (!isRight || !hash) return { kind: 'refused', reason: 'wrong_password', subject };
    if (stored.passwordEndsAt !== undefined) {
      if (stored.passwordEndsAt <= this.clock.seconds())
        return { kind: 'refused', reason: 'expired_password', subject };
      return { kind: 'temporary', account: withoutHash(stored), temporary: { hash: stored.passwordHash } };
    }
    if (this.hasher.isOutdated(hash)) await this.rehash(subject, stored.passwordHash, password);
    return { kind: 'right', account: withoutHash(stored) };
  }

  /** Replaces a hash of another scheme or of lower cost; the password stays the same, so no session ends. */
  private async rehash(subject: string, verified: string, password: string): Promise<void> {
    try {
      const fresh = await this.hasher.hash(password);
      await this.work.single((tx) => this.store.rehash(tx, subject, verified, fresh));
      this.log.debug('A password is hashed anew: its hash was of another scheme or cost');
    } catch (error) {
      // The password was right all the same; the next login tries again.
      if (!(error instanceof ServiceError)) throw error;
      this.log.debug('A password is not hashed anew: the next login tries again', { reason: error.facts.reason });
    }
  }
}

function checkLength(password: string, field: string): void {
  if (Buffer.byteLength(password) <= MAX_PASSWORD_BYTES) return;
  throw new ServiceError('VALIDATION_FAILED', { errors: [{ field, code: 'too_long' }] });
}
