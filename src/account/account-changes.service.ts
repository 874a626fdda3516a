import { Injectable } from '@nestjs/common';
import { Clock } from '../clock/clock.js';
import { ServiceError } from '../errors/service-error.js';
import { SecurityEvents } from '../events/security-events.service.js';
import { type Tx, UnitOfWork } from '../persistence/unit-of-work.js';
import type { AccountStatus } from './account.js';
import { type AccountChange, AccountStore, type StoredAccount } from './account.store.js';
import { isEmail } from './email.js';
import { Passwords, type ReadyPassword } from './passwords.service.js';
import { areRoles } from './role-names.js';

/** Changes accounts; `actor` is the subject of an administrator, or `cli`. */
@Injectable()
export class AccountChanges {
  constructor(
    private readonly store: AccountStore,
    private readonly work: UnitOfWork,
    private readonly passwords: Passwords,
    private readonly events: SecurityEvents,
    private readonly clock: Clock,
  ) {}

  /**
   * Half-done logins end by the epoch; the caller ends the sessions of a disabled account in the same transaction.
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
   * Changes roles, mail address or the demand for a second factor. Where roles are taken away, the caller ends the
   * sessions in the same transaction.
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
    const { loginId } = await this.work.single((tx) => this.known(tx, subject));
    return this.passwords.ready(password, loginId, field);
  }

  /**
   * Stores a new password: half-done logins end by the epoch, the caller ends the sessions in the same transaction.
   * `epoch` is that of the account when its old password was verified.
   * @throws ServiceError `CONFLICT` where the account has no password of its own, or its epoch was raised since
   */
  async changePassword(
    tx: Tx,
    subject: string,
    { hash }: ReadyPassword,
    { actor, epoch }: { readonly actor?: string; readonly epoch?: number } = {},
  ): Promise<void> {
    if (!(await this.store.setPassword(tx, subject, hash, this.clock.seconds(), epoch))) {
      throw new ServiceError('CONFLICT', { reason: 'account changed' });
    }
    await this.events.record(tx, { kind: 'PASSWORD_CHANGED', subject, ...(actor !== undefined && { actor }) });
  }

  private async known(tx: Tx, subject: string): Promise<StoredAccount> {
    const stored = await this.store.find(tx, subject);
    if (!stored) throw new ServiceError('NOT_FOUND', { reason: 'account' });
    return stored;
  }
}
