import { Injectable } from '@nestjs/common';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { SecurityEvents } from '../../events/security-events.service.js';
import { type Tx, UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import { type AttemptSubject, type FactorState, endedError, NO_ACCOUNT, NO_SECRET } from '../attempts/attempt.js';
import { AttemptBudget } from '../attempts/attempt-budget.service.js';
import type {
  Authenticator,
  Complete,
  Confirmation,
  EnrolmentState,
  Proof,
  Submitted,
  SubmittedProof,
} from '../second-factor.js';
import { SecondFactors } from '../second-factors.service.js';
import type { NewPasskey, PasskeyPlace } from '../passkey/passkey.js';
import { AuthenticatorListStore } from './authenticator-list.store.js';
import type { PasskeyOwner } from './enrolment.store.js';
import { type AddedPasskey, Authenticators } from './authenticators.service.js';

/** The second factor of an account: its state, its confirmation, and every way to replace or remove it. */
@Injectable()
export class Enrolment {
  constructor(
    private readonly work: UnitOfWork,
    private readonly secondFactors: SecondFactors,
    private readonly authenticators: Authenticators,
    private readonly list: AuthenticatorListStore,
    private readonly budget: AttemptBudget,
    private readonly events: SecurityEvents,
  ) {}

  async state(subject: string): Promise<EnrolmentState> {
    const found = await this.work.single((tx) => this.authenticators.state(tx, subject));
    if (!found) throw endedError(NO_ACCOUNT, { subject });
    return { ...found.state, ...withoutUndefined({ lock: this.budget.lockOf(found.counter) }) };
  }

  /**
   * Activates the caller's pending secret by a TOTP code of it. Unless it is a further one, the old secrets, the codes and
   * the trusted devices are deleted, and half-authenticated logins end.
   * @throws ServiceError as `SecondFactors.prove` does
   */
  confirm<T>(
    caller: AttemptSubject & { readonly askedBy: string },
    submitted: Submitted<'totp'>,
    complete: Complete<Confirmation, T>,
  ): Promise<T> {
    const { subject } = caller;
    const target = { kind: 'pending', askedBy: caller.askedBy } as const;
    const confirmed = async (tx: Tx, proof: Proof, { pending }: FactorState): Promise<T> => {
      const change = pending?.askedFor ?? 'first';
      if (change === 'add') await this.authenticators.discardUnnamed(tx, subject);
      else await this.authenticators.cleanUp(tx, subject);
      const reason = { first: undefined, replace: 'replaced', add: 'added' }[change];
      await this.events.record(tx, { kind: 'MFA_CONFIRMED', subject, ...withoutUndefined({ reason }) });
      return complete(tx, { ...proof, change });
    };
    return this.secondFactors.prove(caller, submitted, confirmed, target);
  }

  /** Replaces the active backup codes within the transaction of a confirmation, which its event reports. */
  renewCodes(tx: Tx, subject: string): Promise<readonly string[] | undefined> {
    return this.authenticators.reissue(tx, subject);
  }

  /** The active authenticators of an account, the oldest first. */
  listAuthenticators(subject: string): Promise<readonly Authenticator[]> {
    return this.work.single((tx) => this.list.list(tx, subject));
  }

  /** @throws ServiceError `NOT_FOUND` */
  async rename(subject: string, id: string, name: string): Promise<void> {
    if (!(await this.work.run((tx) => this.list.rename(tx, subject, id, name)))) throw new ServiceError('NOT_FOUND');
  }

  /**
   * Stores a verified passkey. A first authenticator comes with backup codes, which are shown once; `require` may still
   * reject it.
   * @throws ServiceError `MFA_LOCKED`, `MFA_STATE_CONFLICT` if the account may have no more, or the passkey is registered already,
   * and for a login that has ended `MFA_TOKEN_INVALID` or `INVALID_TOKEN`
   */
  addPasskey(
    caller: PasskeyOwner,
    passkey: Omit<NewPasskey, 'id' | 'subject' | 'createdAt'>,
    place: PasskeyPlace,
    require: (tx: Tx) => Promise<void>,
  ): Promise<AddedPasskey> {
    const { subject } = caller;
    return this.work.run(async (tx) => {
      const added = await this.authenticators.addPasskey(tx, caller, passkey, place);
      if (!added) throw await this.budget.refusalIn(tx, caller, undefined, NO_SECRET);
      await require(tx);
      await this.events.record(tx, {
        ...{ kind: 'PASSKEY_ADDED', subject, detail: { authenticator: added.id } },
        ...withoutUndefined({ reason: place === 'first' ? undefined : 'added' }),
      });
      return added;
    });
  }

  /**
   * Removes one of several authenticators; `complete` ends sessions.
   * @throws ServiceError as `Authenticators.removeOne` does
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
   * @throws ServiceError as `Authenticators.removeOne` does
   */
  removeOneBy(tx: Tx, actor: string, subject: string, id: string): Promise<void> {
    return this.removeWithin(tx, subject, id, false, actor);
  }

  /** Removes the second factor by a proof of it; `complete` ends the other sessions. */
  disable<T>(caller: AttemptSubject, submitted: SubmittedProof, complete: Complete<Proof, T>): Promise<T> {
    const { subject } = caller;
    return this.secondFactors.prove(caller, submitted, async (tx, proof) => {
      await this.authenticators.remove(tx, subject);
      await this.events.record(tx, { kind: 'MFA_DISABLED', subject, detail: { proved: proof.method } });
      return complete(tx, proof);
    });
  }

  /** Issues ten new backup codes in place of all earlier ones. */
  async reissue(subject: string): Promise<readonly string[]> {
    const codes = await this.work.run(async (tx) => {
      const issued = await this.authenticators.reissue(tx, subject);
      if (issued) await this.events.record(tx, { kind: 'BACKUP_REISSUED', subject });
      return issued;
    });
    if (!codes) throw new ServiceError('MFA_STATE_CONFLICT', { reason: 'no secret is active' });
    return codes;
  }

  /**
   * Removes the second factor without a code, so that the next login must enrol; `complete` ends all sessions. `actor` is
   * the administrator, or `cli`. Failures, lock and last used step stay.
   */
  reset(subject: string, actor: string, complete: (tx: Tx) => Promise<void>): Promise<void> {
    return this.work.run(async (tx) => {
      if (!(await this.authenticators.reset(tx, subject))) throw new ServiceError('NOT_FOUND');
      await this.events.record(tx, { kind: 'MFA_RESET_BY_ADMIN', subject, actor });
      await complete(tx);
    });
  }

  /** Deletes authenticators, codes and trusted devices of an account whose row is gone. */
  forget(tx: Tx, subject: string): Promise<void> {
    return this.authenticators.cleanUp(tx, subject);
  }

  private async removeWithin(
    tx: Tx,
    subject: string,
    id: string,
    keepsPasskey: boolean,
    actor?: string,
  ): Promise<void> {
    const type = await this.authenticators.removeOne(tx, subject, id, keepsPasskey);
    const kind = type === 'totp' ? 'TOTP_REMOVED' : 'PASSKEY_REMOVED';
    await this.events.record(tx, { kind, subject, detail: { authenticator: id }, ...withoutUndefined({ actor }) });
  }
}
