import { Injectable } from '@nestjs/common';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { SecurityEvents } from '../../events/security-events.service.js';
import { type Tx, UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import { type AttemptSubject, type FactorState, endedError, NO_ACCOUNT, NO_SECRET } from '../attempts/attempt.js';
import { AttemptBudget } from '../attempts/attempt-budget.service.js';
import type { Complete, Confirmation, Proof, Submitted } from '../second-factor.js';
import type { EnrolmentState } from '../factor-state.js';
import { SecondFactors } from '../second-factors.service.js';
import type { NewPasskey, PasskeyPlace } from '../passkey/passkey.js';
import type { PasskeyOwner } from './enrolment.store.js';
import { type AddedPasskey, Authenticators } from './authenticators.service.js';

/** The second factor of an account: its state, its confirmation, and every way to add to it or replace it. */
@Injectable()
export class Enrolment {
  constructor(
    private readonly work: UnitOfWork,
    private readonly secondFactors: SecondFactors,
    private readonly authenticators: Authenticators,
    private readonly budget: AttemptBudget,
    private readonly events: SecurityEvents,
  ) {}

  async state(subject: string): Promise<EnrolmentState> {
    const found = await this.work.single((tx) => this.authenticators.state(tx, subject));
    if (!found) throw endedError(NO_ACCOUNT, { subject });
    return { ...found.state, ...withoutUndefined({ lock: this.budget.lockOf(found.counter) }) };
  }

  /** Seconds until attempts are accepted again; undefined without a lock, Infinity if only an administrator can end it. */
  async lockSeconds(subject: string): Promise<number | undefined> {
    const { lock } = await this.state(subject);
    return lock && this.budget.secondsUntil(lock);
  }

  /** True if attempts are accepted now, and the next one locks the account if it fails. */
  isLastAttempt(subject: string): Promise<boolean> {
    return this.budget.isLast(subject);
  }

  /**
   * Activates the caller's pending secret by a TOTP code of it. Unless it is a further one, the old secrets, the codes and
   * the trusted devices are deleted, and half-authenticated logins end.
   * @throws ServiceError as `SecondFactors.prove` does
   */
  confirm<T>(
    caller: AttemptSubject & { readonly requestedBy: string },
    submitted: Submitted<'totp'>,
    complete: Complete<Confirmation, T>,
  ): Promise<T> {
    const { subject } = caller;
    const target = { kind: 'pending', requestedBy: caller.requestedBy } as const;
    const confirmed = async (tx: Tx, proof: Proof, { pending }: FactorState): Promise<T> => {
      const change = pending?.change ?? 'first';
      await this.authenticators.discardAfter(tx, subject, change);
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
      if (!added) throw await this.budget.rejectionErrorIn(tx, caller, undefined, NO_SECRET);
      await require(tx);
      await this.events.record(tx, {
        ...{ kind: 'PASSKEY_ADDED', subject, detail: { authenticator: added.id } },
        ...withoutUndefined({ reason: place === 'first' ? undefined : 'added' }),
      });
      return added;
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
}
