import { Injectable } from '@nestjs/common';
import { AccountChanges } from '../account/account-changes.service.js';
import { PasswordChanges } from '../account/password/passwords.service.js';
import { type Tx, UnitOfWork } from '../persistence/unit-of-work.js';
import { withCommandReason } from '../principal/command-context.js';
import { AttemptBudget } from '../second-factor/attempts/attempt-budget.service.js';
import { AccountAccess } from './account-access.service.js';

/** Who performs an administrative act, and why; both go into its security events. */
export interface Act {
  /** The subject of an administrator, or `cli:<user>` for a command. */
  readonly actor: string;
  readonly reason?: string | undefined;
}

/** A temporary password, which its owner must replace at the next sign-in. */
export interface TemporaryPasswordReset {
  /** Set if it was generated: it is shown once and cannot be read again. */
  readonly generated?: string;
  /** Epoch seconds. */
  readonly expiresAt: number;
}

/**
 * Administrative changes of one account, for commands and HTTP. Each act decides by the statements of `AccountChanges` and
 * ends the access to the account in the same transaction if it must.
 */
@Injectable()
export class AccountAdministration {
  constructor(
    private readonly work: UnitOfWork,
    private readonly changes: AccountChanges,
    private readonly passwords: PasswordChanges,
    private readonly access: AccountAccess,
    private readonly attempts: AttemptBudget,
  ) {}

  /** Ends the lock of the second factor; false if the account has no failures. */
  unlock(subject: string, act: Act): Promise<boolean> {
    return withCommandReason(act.reason, () => this.attempts.unlock(subject, act.actor));
  }

  /**
   * Sets a temporary password, generated unless one is given, and ends all access.
   * @throws ServiceError `VALIDATION_FAILED`; `NOT_FOUND`; `CONFLICT` for staff, who have no password here
   */
  resetPassword(subject: string, given: string | undefined, act: Act): Promise<TemporaryPasswordReset> {
    return withCommandReason(act.reason, async () => {
      const ready = await this.passwords.readyTemporary(subject, given);
      const expiresAt = await this.work.run(async (tx) => {
        const endsAt = await this.passwords.reset(tx, subject, ready, act.actor);
        await this.access.endAll(tx, subject);
        return endsAt;
      });
      return { expiresAt, ...(ready.generated !== undefined && { generated: ready.generated }) };
    });
  }

  /** Removes the second factor and ends all access; the next login must enrol. @throws ServiceError `NOT_FOUND` */
  resetMfa(subject: string, act: Act): Promise<void> {
    return withCommandReason(act.reason, () => this.access.resetMfa(subject, act.actor));
  }

  /** Rejects every login and ends all access. @throws ServiceError `NOT_FOUND`; `CONFLICT` for the last administrator */
  disable(subject: string, act: Act): Promise<void> {
    return this.run(act, async (tx) => {
      await this.changes.setStatus(tx, subject, 'disabled', act.actor);
      await this.access.endAll(tx, subject);
    });
  }

  /** @throws ServiceError `NOT_FOUND` */
  enable(subject: string, act: Act): Promise<void> {
    return this.run(act, (tx) => this.changes.setStatus(tx, subject, 'active', act.actor));
  }

  /**
   * Replaces the stored roles and ends all access, so that the new roles begin with a new sign-in and with what policy
   * demands of them.
   * @throws ServiceError `VALIDATION_FAILED`; `NOT_FOUND`; `CONFLICT` for the last administrator
   */
  setRoles(subject: string, roles: readonly string[], act: Act): Promise<void> {
    return this.run(act, async (tx) => {
      await this.changes.change(tx, subject, { roles }, act.actor);
      await this.access.endAll(tx, subject);
    });
  }

  /** Requires a second factor of this account from the next sign-in on, or leaves it to the policy. */
  requireMfa(subject: string, mfaRequired: boolean, act: Act): Promise<void> {
    return this.run(act, (tx) => this.changes.change(tx, subject, { mfaRequired }, act.actor));
  }

  /** Deletes the account with its sessions and authenticators; its security events stay. @throws as `disable` */
  delete(subject: string, act: Act): Promise<void> {
    return this.run(act, async (tx) => {
      await this.changes.delete(tx, subject, act.actor);
      await this.access.endAll(tx, subject);
      await this.access.forget(tx, subject);
    });
  }

  private run(act: Act, work: (tx: Tx) => Promise<void>): Promise<void> {
    return withCommandReason(act.reason, () => this.work.run(work));
  }
}
