import { Injectable } from '@nestjs/common';
import { Clock } from '../clock/clock.js';
import { ServiceError } from '../errors/service-error.js';
import { SecurityEvents } from '../events/security-events.service.js';
import { type Tx, UnitOfWork } from '../persistence/unit-of-work.js';
import type { Account, AccountStatus, TemporaryPassword } from './account.js';
import { type AccountChange, AccountStore, type StoredAccount, withoutHash } from './account.store.js';
import { isEmail } from './email.js';
import { PasswordProperties } from './account.properties.js';
import { Passwords, type ReadyPassword } from './password/passwords.service.js';
import { areRoles } from './role-names.js';
import { StaffIdentityStore } from './staff/staff-identity.store.js';

/** Changes accounts; `actor` is the subject of an administrator, or `cli:<user>` for a command. */
@Injectable()
export class AccountChanges {
  constructor(
    private readonly store: AccountStore,
    private readonly identities: StaffIdentityStore,
    private readonly work: UnitOfWork,
    private readonly passwords: Passwords,
    private readonly events: SecurityEvents,
    private readonly clock: Clock,
    private readonly properties: PasswordProperties,
  ) {}

  /**
   * Half-done logins end by the security stamp; the caller ends the sessions of a disabled account in the same
   * transaction.
   * @throws ServiceError `NOT_FOUND`; `CONFLICT` for the last active administrator and for oneself
   */
  async setStatus(tx: Tx, subject: string, status: AccountStatus, actor: string): Promise<void> {
    if (status === 'disabled' && subject === actor) throw new ServiceError('CONFLICT', { reason: 'oneself' });
    const now = this.clock.seconds();
    const isChanged = await (status === 'disabled'
      ? this.store.disable(tx, subject, now)
      : this.store.enable(tx, subject, now));
    if (isChanged) {
      const reason = status === 'disabled' ? 'disabled' : 'enabled';
      await this.events.record(tx, { kind: 'USER_CHANGED', subject, actor, reason });
    } else if ((await this.known(tx, subject)).status !== status) {
      throw new ServiceError('CONFLICT', { reason: 'last administrator' });
    }
  }

  /**
   * Changes roles, mail address or the demand for a second factor. New roles raise the security stamp, which ends
   * logins in progress; the caller ends the sessions in the same transaction.
   * @throws ServiceError `VALIDATION_FAILED`; `NOT_FOUND`; `CONFLICT` for the last active administrator and for oneself
   */
  async change(tx: Tx, subject: string, change: AccountChange, actor: string): Promise<void> {
    const { roles, email } = change;
    const errors = [
      ...(roles && !areRoles(roles) ? [{ field: 'roles', code: 'malformed' }] : []),
      ...(typeof email === 'string' && !isEmail(email) ? [{ field: 'email', code: 'malformed' }] : []),
    ];
    if (errors.length > 0) throw new ServiceError('VALIDATION_FAILED', { errors });
    const before = await this.known(tx, subject);
    const isDemotion = roles !== undefined && before.roles.some((role) => !roles.includes(role));
    if (isDemotion && subject === actor) throw new ServiceError('CONFLICT', { reason: 'oneself' });
    if (!(await this.store.change(tx, subject, change, this.clock.seconds()))) {
      throw new ServiceError('CONFLICT', { reason: 'last administrator' });
    }
    const reason = Object.keys(change).sort().join(' ');
    await this.events.record(tx, { kind: 'USER_CHANGED', subject, actor, reason });
  }

  /**
   * Makes a new password of an account ready: before the transaction that stores it, since hashing takes time. `field`
   * is its name in the request.
   * @throws ServiceError `VALIDATION_FAILED`; `NOT_FOUND`; `UNAVAILABLE`
   */
  async readyPassword(subject: string, password: string, field = 'new'): Promise<ReadyPassword> {
    const account = await this.work.single((tx) => this.known(tx, subject));
    return this.readyPasswordOf(account, password, field);
  }

  /** The same for an account that was read already; whether it still exists shows when the password is stored. */
  readyPasswordOf({ loginId }: Pick<Account, 'loginId'>, password: string, field: string): Promise<ReadyPassword> {
    return this.passwords.ready(password, loginId, field);
  }

  /**
   * Stores a new password: half-done logins end by the security stamp, the caller ends the sessions in the same
   * transaction.
   * `securityStamp` is that of the account when its old password was verified.
   * @throws ServiceError `CONFLICT` where the account has no password of its own, or its security stamp was raised
   * since
   */
  async changePassword(
    tx: Tx,
    subject: string,
    { hash }: ReadyPassword,
    { actor, securityStamp }: { readonly actor?: string; readonly securityStamp?: number } = {},
  ): Promise<void> {
    if (!(await this.store.setPassword(tx, subject, hash, this.clock.seconds(), securityStamp))) {
      throw new ServiceError('CONFLICT', { reason: 'account changed' });
    }
    await this.events.record(tx, { kind: 'PASSWORD_CHANGED', subject, ...(actor !== undefined && { actor }) });
  }

  /**
   * Stores a temporary password, which must be replaced at the next sign-in. Second factor, failures and lock stay; the
   * caller ends sessions and trusted devices in the same transaction.
   * @throws ServiceError `NOT_FOUND`; `CONFLICT` for staff, who have no password here
   */
  async resetPassword(tx: Tx, subject: string, { hash }: ReadyPassword, actor: string): Promise<number> {
    const now = this.clock.seconds();
    const endsAt = now + Math.ceil(this.properties.temporaryLifetime.seconds);
    if (!(await this.store.resetPassword(tx, subject, hash, { now, endsAt }))) {
      await this.known(tx, subject);
      throw new ServiceError('CONFLICT', { reason: 'no password' });
    }
    await this.events.record(tx, { kind: 'PASSWORD_RESET', subject, actor });
    return endsAt;
  }

  /**
   * Replaces the temporary password that was verified; answers the account as it is then. Of requests at the same time
   * one wins.
   * @throws ServiceError `INVALID_CREDENTIALS` where the temporary password was replaced or has expired since
   */
  async replaceTemporary(
    tx: Tx,
    subject: string,
    { hash: verified }: TemporaryPassword,
    { hash }: ReadyPassword,
  ): Promise<Account> {
    if (!(await this.store.replaceTemporary(tx, subject, verified, hash, this.clock.seconds()))) {
      throw new ServiceError('INVALID_CREDENTIALS', { reason: 'account changed' });
    }
    await this.events.record(tx, { kind: 'PASSWORD_CHANGED', subject, reason: 'temporary' });
    return withoutHash(await this.known(tx, subject));
  }

  /**
   * Removes an account; the caller removes what other tables keep of it in the same transaction. Its events stay.
   * @throws ServiceError `NOT_FOUND`; `CONFLICT` for the last active administrator and for oneself
   */
  async delete(tx: Tx, subject: string, actor: string): Promise<void> {
    if (subject === actor) throw new ServiceError('CONFLICT', { reason: 'oneself' });
    if (!(await this.store.delete(tx, subject))) {
      await this.known(tx, subject);
      throw new ServiceError('CONFLICT', { reason: 'last administrator' });
    }
    await this.identities.deleteOf(tx, subject);
    await this.events.record(tx, { kind: 'USER_DELETED', subject, actor });
  }

  private async known(tx: Tx, subject: string): Promise<StoredAccount> {
    const stored = await this.store.find(tx, subject);
    if (!stored) throw new ServiceError('NOT_FOUND', { reason: 'account' });
    return stored;
  }
}
