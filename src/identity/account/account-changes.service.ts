import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { type FieldError, ServiceError } from '../../kernel/errors/service-error.js';
import type { SecurityEvent } from '../events/security-event.js';
import { SecurityEvents } from '../events/security-events.service.js';
import type { Tx } from '../../platform/persistence/unit-of-work.js';
import { type Account, type AccountStatus, areRoles, isEmail, withoutHash } from './account.js';
import { type AccountChange, AccountChangesStore, type NewAccount } from './account-changes.store.js';
import { changeFacts } from './change-facts.js';
import { pseudonym } from './login-id.js';
import { displayNameOf, profileProblems } from './profile.js';
import { AddressNotices } from './address-notices.service.js';
import { AccountStore } from './account.store.js';

export type { AccountChange } from './account-changes.store.js';

/**
 * Inserts, changes and deletes accounts with their security events; `actor` is the subject of an administrator,
 * `cli:<user>` for a command, or `idp`.
 */
@Injectable()
export class AccountChanges {
  constructor(
    private readonly accounts: AccountStore,
    private readonly store: AccountChangesStore,
    private readonly events: SecurityEvents,
    private readonly clock: Clock,
    private readonly notices: AddressNotices,
  ) {}

  /** Stores a new account; undefined if its login id is taken. */
  async insert(
    tx: Tx,
    account: NewAccount,
    by: { readonly actor: string; readonly idp?: string },
  ): Promise<Account | undefined> {
    if (!(await this.store.insert(tx, [account]))) return undefined;
    await this.events.record(tx, { kind: 'USER_CREATED', subject: account.id, ...by });
    if (account.isInvited) await this.events.record(tx, { kind: 'USER_INVITED', subject: account.id, ...by });
    const stored = await this.accounts.find(tx, account.id);
    return stored && withoutHash(stored);
  }

  /**
   * Locks the row of an account for the rest of the transaction, and returns the account as it is now. An
   * account with one of `protectedRoles` is rejected: a promotion at the same moment waits for this transaction, or wins.
   * @throws ServiceError `NOT_FOUND`; `ACCESS_DENIED` for a protected account
   */
  async hold(tx: Tx, subject: string, protectedRoles: readonly string[] = []): Promise<Account> {
    if (await this.store.hold(tx, subject, protectedRoles)) return this.known(tx, subject);
    await this.known(tx, subject);
    throw new ServiceError('ACCESS_DENIED', { reason: 'protected account' });
  }

  /**
   * The new security stamp ends logins in progress; the caller ends the sessions of a disabled account in the same
   * transaction.
   * @throws ServiceError `NOT_FOUND`; `CONFLICT` for the last active administrator and for the actor's own account
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
   * Changes roles, mail address, display name, groups, or whether a second factor is required. New roles raise the security
   * stamp, which ends logins in progress; the caller ends the sessions in the same transaction.
   * @throws ServiceError `VALIDATION_FAILED`; `NOT_FOUND`; `CONFLICT` for the last active administrator, and for roles and
   * the mail address of the actor's own account: a stolen session could have its mailed links sent elsewhere
   */
  async change(tx: Tx, subject: string, change: AccountChange, actor: string): Promise<void> {
    const { email } = change;
    const before = await this.known(tx, subject);
    const errors = problemsOf(change, before);
    if (errors.length > 0) throw new ServiceError('VALIDATION_FAILED', { errors });
    if (subject === actor && isForOthersAlone(change, before))
      throw new ServiceError('CONFLICT', { reason: 'oneself' });
    if (!(await this.store.change(tx, subject, storable(change), this.clock.seconds()))) {
      throw new ServiceError('CONFLICT', { reason: 'last administrator' });
    }
    await this.events.record(tx, { ...changedEvent(before, change), actor });
    if (email !== undefined) await this.notices.add(tx, subject, { before: before.email, after: email ?? undefined });
  }

  /**
   * Sets an address that its user has confirmed by a mailed link, as verified, and tells the former address of it. False if the
   * address of the account is not the one of `before`: of all changes from that address, one wins.
   */
  async confirmAddress(tx: Tx, before: Account, email: string): Promise<boolean> {
    const { id: subject, emailVersion } = before;
    if (!(await this.store.confirmAddress(tx, subject, email, emailVersion, this.clock.seconds()))) return false;
    const isOther = email !== before.email;
    await this.events.record(tx, { kind: 'EMAIL_CONFIRMED', subject, reason: isOther ? 'changed' : 'verified' });
    if (isOther) await this.notices.addConfirmed(tx, subject, before.email);
    return true;
  }

  /**
   * Removes a mail address that is newer than `version`, since the user has reported that the account is in other hands; true
   * if there was one. Nothing is mailed about it, and the caller records it.
   */
  removeNewerAddress(tx: Tx, subject: string, version: number): Promise<boolean> {
    return this.store.removeNewerAddress(tx, subject, version, this.clock.seconds());
  }

  /**
   * Invites an account that never had a password, also again.
   * @throws ServiceError `NOT_FOUND`; `CONFLICT` if it has or had a password, is disabled or of staff
   */
  async invite(
    tx: Tx,
    subject: string,
    { actor, enrolmentForced }: { readonly actor: string; readonly enrolmentForced: boolean },
  ): Promise<void> {
    if (!(await this.store.invite(tx, subject, enrolmentForced, this.clock.seconds()))) {
      await this.known(tx, subject);
      throw new ServiceError('CONFLICT', { reason: 'not to be invited' });
    }
    await this.events.record(tx, { kind: 'USER_INVITED', subject, actor });
  }

  /**
   * Applies roles, mail address, display name and groups that an identity provider states, even if that removes the last administrator. Returns
   * the account as it is now: new roles raise the security stamp, as in `change`, and the login in progress continues with
   * the new one.
   */
  async follow(tx: Tx, subject: string, change: AccountChange, idp: string): Promise<Account> {
    const before = await this.known(tx, subject);
    await this.store.follow(tx, subject, change, this.clock.seconds());
    await this.events.record(tx, { ...changedEvent(before, change), actor: 'idp', idp });
    const { email } = change;
    if (email !== undefined) await this.notices.add(tx, subject, { before: before.email, after: email ?? undefined });
    return this.known(tx, subject);
  }

  /**
   * Deletes an account; the caller deletes its rows in other tables in the same transaction. Its events stay.
   * @throws ServiceError `NOT_FOUND`; `CONFLICT` for the last active administrator and for the actor's own account
   */
  async delete(tx: Tx, subject: string, actor: string): Promise<void> {
    if (subject === actor) throw new ServiceError('CONFLICT', { reason: 'oneself' });
    const { loginId } = await this.known(tx, subject);
    if (!(await this.store.delete(tx, subject))) {
      await this.known(tx, subject);
      throw new ServiceError('CONFLICT', { reason: 'last administrator' });
    }
    // The login id itself would outlive the account.
    await this.events.record(tx, { kind: 'USER_DELETED', subject, actor, detail: { login_id: pseudonym(loginId) } });
  }

  private async known(tx: Tx, subject: string): Promise<Account> {
    const stored = await this.accounts.find(tx, subject);
    if (!stored) throw new ServiceError('NOT_FOUND', { reason: 'account' });
    return withoutHash(stored);
  }
}

function problemsOf(
  { roles, email, emailVerified, displayName, groups }: AccountChange,
  before: Account,
): readonly FieldError[] {
  const after = email === undefined ? before.email : email;
  return [
    ...(roles && !areRoles(roles) ? [{ field: 'roles', code: 'malformed' }] : []),
    ...(typeof email === 'string' && !isEmail(email) ? [{ field: 'email', code: 'malformed' }] : []),
    ...(emailVerified === true && typeof after !== 'string' ? [{ field: 'email', code: 'required' }] : []),
    ...profileProblems({ displayName, groups }),
  ];
}

/** True for what an administrator may do to other accounts only. */
function isForOthersAlone({ roles, email, emailVerified }: AccountChange, before: Account): boolean {
  const isDemotion = roles !== undefined && before.roles.some((role) => !roles.includes(role));
  const hasOtherAddress = email !== undefined && (email ?? undefined) !== before.email;
  return isDemotion || hasOtherAddress || (emailVerified === true && !before.emailVerified);
}

function storable({ displayName, ...change }: AccountChange): AccountChange {
  if (displayName === undefined) return change;
  return { ...change, displayName: displayName === null ? null : (displayNameOf(displayName) ?? null) };
}

function changedEvent(before: Account, change: AccountChange): SecurityEvent {
  const detail = changeFacts(before, change);
  return { kind: 'USER_CHANGED', subject: before.id, reason: namesOf(change), detail };
}

function namesOf(change: AccountChange): string {
  return Object.keys(change).sort().join(' ');
}
