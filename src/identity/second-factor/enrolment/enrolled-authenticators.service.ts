import { Injectable } from '@nestjs/common';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { SecurityEvents } from '../../events/security-events.service.js';
import { type Tx, UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import type { AttemptSubject } from '../attempts/attempt.js';
import type { Complete, Proof, SubmittedProof } from '../second-factor.js';
import type { Authenticator } from '../factor-state.js';
import { SecondFactors } from '../second-factors.service.js';
import { AuthenticatorListStore } from './authenticator-list.store.js';
import { AuthenticatorRemoval } from './authenticator-removal.service.js';

/** The authenticators that an account has: their list and their names, and every way to remove them. */
@Injectable()
export class EnrolledAuthenticators {
  constructor(
    private readonly work: UnitOfWork,
    private readonly list: AuthenticatorListStore,
    private readonly removal: AuthenticatorRemoval,
    private readonly secondFactors: SecondFactors,
    private readonly events: SecurityEvents,
  ) {}

  /** The active authenticators of an account, the oldest first. */
  of(subject: string): Promise<readonly Authenticator[]> {
    return this.work.single((tx) => this.list.list(tx, subject));
  }

  /** @throws ServiceError `NOT_FOUND` */
  async rename(subject: string, id: string, name: string): Promise<void> {
    if (!(await this.work.run((tx) => this.list.rename(tx, subject, id, name)))) throw new ServiceError('NOT_FOUND');
  }

  /**
   * Removes one of several authenticators; `complete` ends sessions.
   * @throws ServiceError as `AuthenticatorRemoval.removeOne` does
   */
  removeOne<T>(
    subject: string,
    id: string,
    { keepsPasskey }: { readonly keepsPasskey: boolean },
    complete: (tx: Tx) => Promise<T>,
  ): Promise<T> {
    return this.work.run(async (tx) => {
      await this.removeWithin(tx, subject, id, keepsPasskey);
      return complete(tx);
    });
  }

  /**
   * Removes one of several authenticators by an administrator, within the transaction that admits the act. What policy
   * demands is set up again at the next login.
   * @throws ServiceError as `AuthenticatorRemoval.removeOne` does
   */
  removeOneBy(tx: Tx, actor: string, subject: string, id: string): Promise<void> {
    return this.removeWithin(tx, subject, id, false, actor);
  }

  /** Removes the second factor by a proof of it; `complete` ends the other sessions. */
  disable<T>(caller: AttemptSubject, submitted: SubmittedProof, complete: Complete<Proof, T>): Promise<T> {
    const { subject } = caller;
    return this.secondFactors.prove(caller, submitted, async (tx, proof) => {
      await this.removal.remove(tx, subject);
      await this.events.record(tx, { kind: 'MFA_DISABLED', subject, detail: { proved: proof.method } });
      return complete(tx, proof);
    });
  }

  /**
   * Removes the second factor without a code, so that the next login must enrol; `complete` ends all sessions. `actor` is
   * the administrator, or `cli`. Failures, lock and last used step stay.
   */
  reset(subject: string, actor: string, complete: (tx: Tx) => Promise<void>): Promise<void> {
    return this.work.run(async (tx) => {
      if (!(await this.removal.reset(tx, subject))) throw new ServiceError('NOT_FOUND');
      await this.events.record(tx, { kind: 'MFA_RESET_BY_ADMIN', subject, actor });
      await complete(tx);
    });
  }

  /** Deletes authenticators, codes and trusted devices of an account whose row is gone. */
  forget(tx: Tx, subject: string): Promise<void> {
    return this.removal.forget(tx, subject);
  }

  private async removeWithin(
    tx: Tx,
    subject: string,
    id: string,
    keepsPasskey: boolean,
    actor?: string,
  ): Promise<void> {
    const type = await this.removal.removeOne(tx, subject, id, keepsPasskey);
    const kind = type === 'totp' ? 'TOTP_REMOVED' : 'PASSKEY_REMOVED';
    await this.events.record(tx, { kind, subject, detail: { authenticator: id }, ...withoutUndefined({ actor }) });
  }
}
