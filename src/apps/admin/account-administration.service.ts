import { Injectable } from '@nestjs/common';
import { type Account, type AccountStatus, areRoles, rolesText } from '../../identity/account/account.js';
import { type AccountChange, AccountChanges } from '../../identity/account/account-changes.service.js';
import { PasswordChanges } from '../../identity/account/password/passwords.service.js';
import { ServiceError } from '../../kernel/errors/service-error.js';
import type { Tx } from '../../platform/persistence/unit-of-work.js';
import { AttemptBudget } from '../../identity/second-factor/attempts/attempt-budget.service.js';
import { AccountAccess } from './account-access.service.js';
import type { Act } from './act.js';
import { type ActRule, AdminActs } from './admin-acts.service.js';

export type { Act } from './act.js';

/** A temporary password, which its owner must replace at the next sign-in. */
export interface TemporaryPasswordReset {
  /** The password, if it was generated; it is shown once and cannot be read again. */
  readonly generated?: string;
  /** Epoch seconds. */
  readonly expiresAt: number;
}

/** Changes of one act; undefined members stay. */
export interface AccountUpdate extends AccountChange {
  readonly status?: AccountStatus;
}

const UNLOCK: ActRule = { name: 'unlock', byHelpDesk: true, notOnOneself: true };
const RESET_MFA: ActRule = { name: 'resetMfa', byHelpDesk: true, notOnOneself: true, needsReason: true };
const REMOVE_AUTHENTICATOR: ActRule = { ...RESET_MFA, name: 'removeAuthenticator' };
const RESET_PASSWORD: ActRule = { name: 'resetPassword', notOnOneself: true };

/**
 * Administrative changes of one account, for commands, HTTP and pages. Each act locks the row of the account first, which
 * decides whether the caller may act on it, and ends the access to the account in the same transaction if it must.
 */
@Injectable()
export class AccountAdministration {
  constructor(
    private readonly changes: AccountChanges,
    private readonly passwords: PasswordChanges,
    private readonly access: AccountAccess,
    private readonly attempts: AttemptBudget,
    private readonly acts: AdminActs,
  ) {}

  /**
   * Ends the lock of the second factor; false if the account has no failures.
   * @throws ServiceError `VALIDATION_FAILED`; `NOT_FOUND`; `ACCESS_DENIED`; `CONFLICT` for the caller's own account
   */
  unlock(subject: string, act: Act): Promise<boolean> {
    return this.acts.perform(UNLOCK, subject, act, () =>
      this.attempts.unlock(subject, act.actor, (tx) => this.acts.hold(tx, subject, act)),
    );
  }

  /**
   * Sets a temporary password, generated unless `password` is set, and ends all access.
   * @throws ServiceError `VALIDATION_FAILED`; `NOT_FOUND`; `CONFLICT` for staff, who have no password here, and for the
   * caller's own account
   */
  resetPassword(subject: string, password: string | undefined, act: Act): Promise<TemporaryPasswordReset> {
    return this.acts.perform(RESET_PASSWORD, subject, act, async () => {
      const ready = await this.passwords.readyTemporary(subject, password);
      const expiresAt = await this.acts.inTransaction(subject, act, async (tx) => {
        const endsAt = await this.passwords.reset(tx, subject, ready, act.actor);
        await this.access.endAll(tx, subject);
        return endsAt;
      });
      return { expiresAt, ...(ready.generated !== undefined && { generated: ready.generated }) };
    });
  }

  /** Removes the second factor and ends all access; the next login must enrol. @throws as `unlock` */
  resetMfa(subject: string, act: Act): Promise<void> {
    return this.acts.perform(RESET_MFA, subject, act, () =>
      this.access.resetMfa(subject, act.actor, (tx) => this.acts.hold(tx, subject, act)),
    );
  }

  /**
   * Removes one of several authenticators, for example a lost one, and ends all sessions. The user signs in with another one.
   * @throws as `unlock`; `NOT_FOUND` also for an authenticator that the account does not have; `MFA_STATE_CONFLICT` for the
   * last one and, while passkeys cannot be used, for the last app, which only `resetMfa` removes
   */
  removeAuthenticator(subject: string, authenticator: string, act: Act): Promise<void> {
    return this.run(REMOVE_AUTHENTICATOR, subject, act, (tx) =>
      this.access.removeAuthenticator(tx, subject, authenticator, act.actor),
    );
  }

  /** Rejects every login, and ends all access and all mailed links. @throws ServiceError `NOT_FOUND`; `CONFLICT` for the last administrator */
  disable(subject: string, act: Act): Promise<void> {
    return this.run({ name: 'disable' }, subject, act, async (tx) => {
      await this.changes.setStatus(tx, subject, 'disabled', act.actor);
      await this.access.endAllOfDisabled(tx, subject);
    });
  }

  /** @throws ServiceError `NOT_FOUND` */
  enable(subject: string, act: Act): Promise<void> {
    return this.run({ name: 'enable' }, subject, act, (tx) => this.changes.setStatus(tx, subject, 'active', act.actor));
  }

  /**
   * Replaces the stored roles and ends all access, so that the new roles begin with a new sign-in and with what policy
   * demands of them.
   * @throws ServiceError `VALIDATION_FAILED`; `NOT_FOUND`; `CONFLICT` for the last administrator
   */
  setRoles(subject: string, roles: readonly string[], act: Act): Promise<void> {
    return this.run({ name: 'setRoles' }, subject, act, async (tx) => {
      await this.changes.change(tx, subject, { roles }, act.actor);
      await this.access.endAll(tx, subject);
    });
  }

  /** Requires a second factor of this account from the next sign-in on, or leaves it to the policy. */
  requireMfa(subject: string, mfaRequired: boolean, act: Act): Promise<void> {
    return this.run({ name: 'requireMfa' }, subject, act, (tx) =>
      this.changes.change(tx, subject, { mfaRequired }, act.actor),
    );
  }

  /**
   * Makes several changes or none. Other roles and the status `disabled` end all access, and the status also all mailed
   * links. The same roles end nothing, unlike at `setRoles`.
   * @throws ServiceError `VALIDATION_FAILED`; `NOT_FOUND`; `CONFLICT` for the last administrator, and for the status and
   * the loss of a role of the caller's own account
   */
  update(subject: string, { status, ...update }: AccountUpdate, act: Act): Promise<void> {
    return this.run({ name: 'update' }, subject, act, async (tx, before) => {
      // Forms send the roles with other changes. The row is locked, so they are the same until the transaction ends.
      const { roles, ...others } = update;
      const hasOtherRoles = roles !== undefined && !(areRoles(roles) && rolesText(roles) === rolesText(before.roles));
      const change = hasOtherRoles ? update : others;
      if (Object.keys(change).length > 0) await this.changes.change(tx, subject, change, act.actor);
      if (status !== undefined) await this.changes.setStatus(tx, subject, status, act.actor);
      if (status === 'disabled') await this.access.endAllOfDisabled(tx, subject);
      else if (hasOtherRoles) await this.access.endAll(tx, subject);
    });
  }

  /** Ends one session. @throws ServiceError `NOT_FOUND` for a session that the account does not have */
  endSession(subject: string, sid: string, act: Act): Promise<void> {
    return this.run({ name: 'endSession' }, subject, act, async (tx) => {
      if (!(await this.access.endSession(tx, subject, sid, act.actor))) throw new ServiceError('NOT_FOUND');
    });
  }

  /** Ends all sessions; returns their number, half-authenticated ones included. @throws ServiceError `NOT_FOUND` */
  endSessions(subject: string, act: Act): Promise<number> {
    return this.run({ name: 'endSessions' }, subject, act, (tx) => this.access.endSessions(tx, subject, act.actor));
  }

  /** Ends the trust in one device. @throws ServiceError `NOT_FOUND` for a device that the account does not have */
  endTrust(subject: string, device: string, act: Act): Promise<void> {
    return this.run({ name: 'endTrust' }, subject, act, async (tx) => {
      if (!(await this.access.endTrust(tx, subject, device, act.actor))) throw new ServiceError('NOT_FOUND');
    });
  }

  /** Deletes the account with its sessions and authenticators; its security events stay. @throws as `disable` */
  delete(subject: string, act: Act): Promise<void> {
    return this.run({ name: 'delete' }, subject, act, async (tx) => {
      await this.changes.delete(tx, subject, act.actor);
      await this.access.endAllOfDeleted(tx, subject);
    });
  }

  private run<T>(rule: ActRule, subject: string, act: Act, work: (tx: Tx, before: Account) => Promise<T>): Promise<T> {
    return this.acts.perform(rule, subject, act, () => this.acts.inTransaction(subject, act, work));
  }
}
