import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/clock.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import type { Logger } from '../../../observability/logging/logger.js';
import { Loggers } from '../../../observability/logging/loggers.js';
import { type Tx, UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import { setUser } from '../../../kernel/principal/request-context.js';
import { type Account, type StoredAccount, withoutHash } from '../account.js';
import { AccountStore } from '../account.store.js';
import { Accounts } from '../accounts.service.js';
import { LoginIds, pseudonym } from '../login-id.js';
import { type Guessed, GuessThrottle } from '../throttle/guess-throttle.service.js';
import { Decoys, kindOf, kindText } from './decoys.js';
import { parsePasswordHash, type PasswordHash } from './password-hash.js';
import { PasswordHasher } from './password-hasher.js';
import { MAX_PASSWORD_BYTES, normalForm } from './password-rules.js';

/** One attempt at the password step. */
export interface PasswordAttempt {
  /** The login id, or a mail address that only one account has. */
  readonly loginId: string;
  readonly password: string;
  /** Value of the device cookie, if the browser has one. */
  readonly device?: string | undefined;
}

/** Why a password was rejected; for the security event only, never for the caller. */
type PasswordStepRejection = 'unknown' | 'disabled' | 'no_password' | 'wrong_password' | 'expired_password';

/** The stored temporary password that was verified: it is replaced only while it is still the same. */
export interface TemporaryPassword {
  readonly hash: string;
}

/** A correct password; `at` is when it was verified, in epoch seconds. */
export interface VerifiedPassword {
  readonly account: Account;
  readonly at: number;
}

export type PasswordVerdict =
  | ({ readonly kind: 'right' } & VerifiedPassword)
  /** A correct temporary password: it permits only its own replacement. */
  | ({ readonly kind: 'temporary'; readonly temporary: TemporaryPassword } & VerifiedPassword)
  | { readonly kind: 'rejected'; readonly reason: PasswordStepRejection; readonly subject?: string };

/** Compares passwords with the hashes of accounts, and replaces hashes of another scheme, of lower cost or of another form. */
@Injectable()
export class StoredPasswords {
  private readonly log: Logger;

  constructor(
    private readonly hasher: PasswordHasher,
    private readonly decoys: Decoys,
    private readonly accounts: Accounts,
    private readonly clock: Clock,
    loggers: Loggers,
  ) {
    this.log = loggers.get('account');
  }

  /** Compares a password with the hash of an account, or with a decoy if there is none. */
  async verify(loginId: string, stored: StoredAccount | undefined, password: string): Promise<PasswordVerdict> {
    const hash = stored?.passwordHash === undefined ? undefined : parsePasswordHash(stored.passwordHash);
    // Looked up for every login id, so that no path is shorter than another.
    const decoy = await this.decoys.decoyOf(loginId);
    const matching = await this.matchingForm(password, hash, decoy?.hash);
    const kind = hash ? kindOf(stored?.passwordHash ?? '') : decoy?.kind;
    this.log.debug('A password was compared', { work: kind === undefined ? 'as a new hash' : kindText(kind) });
    const at = this.clock.seconds();
    if (!stored) return { kind: 'rejected', reason: 'unknown' };
    const { id: subject } = stored;
    if (stored.status !== 'active') return { kind: 'rejected', reason: 'disabled', subject };
    if (stored.passwordHash === undefined) return { kind: 'rejected', reason: 'no_password', subject };
    if (matching === undefined || !hash) return { kind: 'rejected', reason: 'wrong_password', subject };
    if (stored.passwordEndsAt !== undefined) {
      if (stored.passwordEndsAt <= at) return { kind: 'rejected', reason: 'expired_password', subject };
      return { kind: 'temporary', account: withoutHash(stored), at, temporary: { hash: stored.passwordHash } };
    }
    if (matching === 'typed' || this.hasher.isOutdated(hash)) await this.rehash(subject, stored.passwordHash, password);
    return { kind: 'right', account: withoutHash(stored), at };
  }

  /**
   * Compares the normal form of a password, and what was typed if it differs: earlier versions and other systems hashed
   * passwords as they were typed. The work depends on the password alone, so its time tells nothing about the account.
   */
  private async matchingForm(
    password: string,
    hash: PasswordHash | undefined,
    decoy: PasswordHash | undefined,
  ): Promise<'normal' | 'typed' | undefined> {
    const normal = normalForm(password);
    const isNormal = await this.hasher.verify(normal, hash, decoy);
    const isTyped = normal !== password && (await this.hasher.verify(password, hash, decoy));
    if (isNormal) return 'normal';
    return isTyped ? 'typed' : undefined;
  }

  /** The password stays the same, so no session ends. */
  private async rehash(subject: string, outdated: string, password: string): Promise<void> {
    try {
      await this.accounts.rehash(subject, outdated, await this.hasher.hash(password));
      this.log.debug('Rehashed a password whose hash was of another scheme or cost');
    } catch (error) {
      // The password was correct all the same; the next login tries again.
      if (!(error instanceof ServiceError)) throw error;
      this.log.debug('Could not rehash a password; the next login tries again', {
        reason: error.facts.reason,
      });
    }
  }
}

/** Verifies the passwords of accounts; slows down guessing. */
@Injectable()
export class PasswordVerification {
  constructor(
    private readonly loginIds: LoginIds,
    private readonly store: AccountStore,
    private readonly work: UnitOfWork,
    private readonly throttle: GuessThrottle,
    private readonly stored: StoredPasswords,
  ) {}

  /**
   * Verifies the password of a login. A rejection costs the work of one hash of a kind that accounts have, whether or
   * not the account exists.
   * @throws ServiceError `VALIDATION_FAILED` for the form of a value; `RATE_LIMITED`; `UNAVAILABLE`
   */
  async verify({ loginId, password, device }: PasswordAttempt): Promise<PasswordVerdict> {
    const form = this.loginIds.normalise(loginId);
    setUser(pseudonym(form));
    checkLength(password, 'pw');
    const known = device === undefined ? undefined : this.throttle.deviceOf(device);
    const possible = known ? [{ loginId: form }, { device: known }] : [{ loginId: form }];
    const read = (tx: Tx): Promise<StoredAccount | undefined> => this.store.findByUsername(tx, form);
    const isAddress = form.includes('@');
    // Read as often whether or not it is found: the time of a further read would disclose unknown ids.
    const early =
      known || isAddress || this.throttle.isShared
        ? { stored: await this.readWithFailures(read, possible) }
        : undefined;
    // One account has one count, whatever name it is guessed by.
    const counted = { loginId: early?.stored?.loginId ?? form };
    if (isAddress) await this.throttle.load([counted]);
    // The cookie of one account has no effect for another one.
    const guessed = known && early?.stored?.id === known.subject ? { device: known } : counted;
    return this.throttle.attempt(
      guessed,
      async (hasWaited) => {
        // The password may have changed meanwhile.
        const stored = early && !hasWaited ? early.stored : await this.work.single(read);
        return this.stored.verify(form, stored, password);
      },
      ({ kind }) => kind !== 'rejected',
    );
  }

  /** Reads the account and the failures that replicas share. */
  private async readWithFailures<T>(read: (tx: Tx) => Promise<T>, possible: readonly Guessed[]): Promise<T> {
    const both = async (account: Promise<T>, tx?: Tx): Promise<T> => {
      const [found] = await Promise.all([account, this.throttle.load(possible, tx)]);
      return found;
    };
    if (this.throttle.isInDatabase) return this.work.single((tx) => both(read(tx), tx));
    // No unit of work waits for another store.
    return both(this.work.single(read));
  }

  /**
   * Verifies the password of a signed-in user that a request sends again in `field`. These attempts and those at the
   * login are counted separately.
   * @throws ServiceError as `verify`
   */
  verifySubject(subject: string, password: string, field = 'pw'): Promise<PasswordVerdict> {
    checkLength(password, field);
    return this.throttle.guard(
      { subject },
      async () => {
        const stored = await this.work.single((tx) => this.store.find(tx, subject));
        const verdict = await this.stored.verify(stored?.loginId ?? subject, stored, password);
        // A temporary password proves nothing beyond the login that replaces it.
        return verdict.kind === 'temporary' ? { kind: 'rejected', reason: 'wrong_password', subject } : verdict;
      },
      ({ kind }) => kind === 'right',
    );
  }
}

function checkLength(password: string, field: string): void {
  if (Buffer.byteLength(password) <= MAX_PASSWORD_BYTES) return;
  throw new ServiceError('VALIDATION_FAILED', { errors: [{ field, code: 'too_long' }] });
}
