import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/clock.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { SecurityEvents } from '../../events/security-events.service.js';
import { type Tx, UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import { Random } from '../../../kernel/random/random.js';
import { type Account, type AccountVersion, type StoredAccount, withoutHash } from '../account.js';
import { PasswordProperties } from '../account.properties.js';
import { AccountStore } from '../account.store.js';
import { BreachedPasswords, type PasswordOrigin } from './breached/breached-passwords.service.js';
import { PasswordHasher } from './password-hasher.js';
import { type PasswordRejection, passwordRejection, randomPassword } from './password-rules.js';
import type { TemporaryPassword } from './password-verification.service.js';
import { PasswordStrength } from './strength/password-strength.js';
import type { PasswordUser } from './strength/personal-words.js';
import type { Strength } from './strength/strength-worker.js';

/** The hash of a password that satisfies the rules. */
export interface ReadyPassword {
  readonly hash: string;
}

/** Estimate of a password that is being typed. */
export interface PasswordHint {
  /** 0 to 4. */
  readonly score: number;
  /** Why it would be rejected. */
  readonly problem?: PasswordRejection;
}

/** Validates and hashes new passwords, which takes time: before a transaction, never in it. */
@Injectable()
export class Passwords {
  constructor(
    private readonly hasher: PasswordHasher,
    private readonly properties: PasswordProperties,
    private readonly random: Random,
    private readonly strength: PasswordStrength,
    private readonly breached: BreachedPasswords,
  ) {}

  /**
   * Validates a new password and hashes it. `field` is its name in the request.
   * @throws ServiceError `VALIDATION_FAILED`; `UNAVAILABLE` if too many passwords wait to be hashed
   */
  async ready(password: string, user: PasswordUser, field: string, origin?: PasswordOrigin): Promise<ReadyPassword> {
    const code = await this.problem(password, user, origin);
    if (code) throw new ServiceError('VALIDATION_FAILED', { errors: [{ field, code }] });
    return { hash: await this.hash(password) };
  }

  /** Undefined if the password may be used. Another service may be asked, but not about a password that is weak anyway. */
  async problem(
    password: string,
    user: PasswordUser,
    origin: PasswordOrigin = 'chosen',
  ): Promise<PasswordRejection | undefined> {
    const { minLength } = this.properties;
    const problem = passwordRejection(password, { loginId: user.loginId, minLength });
    // Generated passwords are random: estimating them would load the word lists for nothing.
    if (problem || origin === 'generated') return problem;
    const guessable = await this.guessable(password, user);
    return guessable ?? ((await this.breached.has(password, origin)) ? 'breached' : undefined);
  }

  /**
   * The score of a password that is being typed, and why it would be rejected. Breached passwords are not looked up, since
   * another service must not learn parts of passwords.
   * @throws ServiceError `UNAVAILABLE` if many passwords wait
   */
  async hint(password: string, user: PasswordUser): Promise<PasswordHint> {
    const problem = passwordRejection(password, { loginId: user.loginId, minLength: this.properties.minLength });
    if (problem) return { score: 0, problem };
    const strength = await this.strength.of(password, user, true);
    return { score: strength.score, ...withoutUndefined({ problem: this.weakness(strength) }) };
  }

  private async guessable(password: string, user: PasswordUser): Promise<PasswordRejection | undefined> {
    return this.weakness(await this.strength.of(password, user));
  }

  private weakness({ isCommon, score, reason }: Strength): PasswordRejection | undefined {
    if (isCommon) return 'too_common';
    return score < this.properties.minScore ? reason : undefined;
  }

  hash(password: string): Promise<string> {
    return this.hasher.hash(password);
  }

  /** A random password, which satisfies the rules. */
  generate(): string {
    return randomPassword(this.random);
  }

  /** Epoch seconds at which a temporary password of `now` expires. */
  expiryOfTemporary(now: number): number {
    return now + Math.ceil(this.properties.temporaryLifetime.seconds);
  }
}

/** Replaces the passwords of accounts; each new password raises the security stamp, which ends logins in progress. */
@Injectable()
export class PasswordChanges {
  constructor(
    private readonly store: AccountStore,
    private readonly work: UnitOfWork,
    private readonly passwords: Passwords,
    private readonly events: SecurityEvents,
    private readonly clock: Clock,
  ) {}

  /**
   * Validates and hashes a new password of an account, outside of the transaction that stores it. `field` is its name in
   * the request.
   * @throws ServiceError `VALIDATION_FAILED`; `NOT_FOUND`; `UNAVAILABLE`
   */
  async ready(subject: string, password: string, field: string): Promise<ReadyPassword> {
    return this.passwords.ready(password, await this.work.single((tx) => this.known(tx, subject)), field);
  }

  /** Hashes a temporary password, generated unless one is given. @throws ServiceError as `ready` */
  async readyTemporary(
    subject: string,
    chosen: string | undefined,
  ): Promise<ReadyPassword & { readonly generated?: string }> {
    if (chosen !== undefined) return this.ready(subject, chosen, 'pw');
    return this.generateTemporary(await this.work.single((tx) => this.known(tx, subject)));
  }

  /** Generates and hashes a temporary password, also for an account that is yet to be created. @throws ServiceError `UNAVAILABLE` */
  async generateTemporary(account: PasswordUser): Promise<ReadyPassword & { readonly generated: string }> {
    const generated = this.passwords.generate();
    return { ...(await this.passwords.ready(generated, account, 'pw', 'generated')), generated };
  }

  /**
   * Stores a new password; the caller ends the sessions in the same transaction. `account` is what the caller read before it
   * decided which proofs the change needs; `proved` is the kind of second factor that came with the password.
   * @throws ServiceError `CONFLICT` if the account has no password, its security stamp was raised since, or it had a second
   * factor then and has none now, or the other way round
   */
  async change(tx: Tx, account: AccountVersion, { hash }: ReadyPassword, proved?: string): Promise<void> {
    if (!(await this.store.changePassword(tx, account, hash, this.clock.seconds()))) {
      throw new ServiceError('CONFLICT', { reason: 'account changed' });
    }
    const detail = proved === undefined ? undefined : { proved };
    await this.events.record(tx, { kind: 'PASSWORD_CHANGED', subject: account.id, ...withoutUndefined({ detail }) });
  }

  /**
   * Stores a temporary password, which must be replaced at the next sign-in, and returns when it expires in epoch
   * seconds. Second factor, failures and lock stay; the caller ends sessions and trusted devices in the same transaction.
   * @throws ServiceError `NOT_FOUND`; `CONFLICT` for staff, who have no password here
   */
  async reset(tx: Tx, subject: string, { hash }: ReadyPassword, actor: string): Promise<number> {
    const now = this.clock.seconds();
    const endsAt = this.passwords.expiryOfTemporary(now);
    if (!(await this.store.resetPassword(tx, subject, hash, { now, endsAt }))) {
      await this.known(tx, subject);
      throw new ServiceError('CONFLICT', { reason: 'no password' });
    }
    await this.events.record(tx, { kind: 'PASSWORD_RESET', subject, actor });
    return endsAt;
  }

  /**
   * Stores the password that the user chose by a mailed link; the caller ends sessions and trusted devices in the same
   * transaction. Second factor, failures and lock stay.
   * @throws ServiceError `CONFLICT` for staff, who have no password here
   */
  async resetByLink(tx: Tx, subject: string, { hash }: ReadyPassword): Promise<void> {
    if (!(await this.store.setPassword(tx, subject, hash, this.clock.seconds()))) {
      throw new ServiceError('CONFLICT', { reason: 'no password' });
    }
    await this.events.record(tx, { kind: 'PASSWORD_RESET', subject, reason: 'link' });
  }

  /** Stores the first password of an invited account. @throws ServiceError `CONFLICT` if it is no longer invited */
  async acceptInvitation(tx: Tx, subject: string, { hash }: ReadyPassword): Promise<void> {
    if (!(await this.store.acceptInvitation(tx, subject, hash, this.clock.seconds()))) {
      throw new ServiceError('CONFLICT', { reason: 'not invited' });
    }
    await this.events.record(tx, { kind: 'INVITATION_ACCEPTED', subject });
  }

  /** Removes the password, so that nobody signs in before a reset; the caller records why. */
  async remove(tx: Tx, subject: string): Promise<void> {
    await this.store.removePassword(tx, subject, this.clock.seconds());
  }

  /**
   * Replaces the temporary password that was verified and returns the changed account. Of concurrent requests, one wins.
   * @throws ServiceError `INVALID_CREDENTIALS` if the temporary password was replaced or has expired since;
   * `VALIDATION_FAILED`, `UNAVAILABLE`
   */
  async replaceTemporary(account: Account, { hash: verified }: TemporaryPassword, password: string): Promise<Account> {
    const { id: subject } = account;
    const { hash } = await this.passwords.ready(password, account, 'new_pw');
    return this.work.run(async (tx) => {
      if (!(await this.store.replaceTemporary(tx, subject, verified, hash, this.clock.seconds()))) {
        throw new ServiceError('INVALID_CREDENTIALS', { reason: 'account changed' });
      }
      await this.events.record(tx, { kind: 'PASSWORD_CHANGED', subject, reason: 'temporary' });
      return withoutHash(await this.known(tx, subject));
    });
  }

  private async known(tx: Tx, subject: string): Promise<StoredAccount> {
    const stored = await this.store.find(tx, subject);
    if (!stored) throw new ServiceError('NOT_FOUND', { reason: 'account' });
    return stored;
  }
}
