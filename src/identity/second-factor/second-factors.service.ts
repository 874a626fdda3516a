import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import type { Tx } from '../../platform/persistence/unit-of-work.js';
import { PWD } from '../../kernel/principal/amr.js';
import { ACTIVE_SECRET, type AttemptSubject, type FactorState, type TargetSecret } from './attempts/attempt.js';
import { AttemptMeters } from './attempts/attempt-meters.js';
import { Attempts } from './attempts/attempts.service.js';
import {
  type ChargedAttempt,
  type Complete,
  type Confirmation,
  type EnrolmentState,
  FACTOR_IDS,
  type FactorId,
  type FactorTypes,
  type NamedAuthenticators,
  type Proof,
  type SecondFactorsById,
  type StoredFactors,
  type Submitted,
  type SubmittedProof,
  type Verdict,
} from './second-factor.js';

/** Token of the second factors by their ids. */
export const SECOND_FACTORS = Symbol('SECOND_FACTORS');

/** The second factors of the service under one budget of attempts. */
@Injectable()
export class SecondFactors {
  constructor(
    @Inject(SECOND_FACTORS) private readonly byId: SecondFactorsById,
    private readonly attempts: Attempts,
    private readonly clock: Clock,
    private readonly meters: AttemptMeters,
  ) {
    for (const { id, failures } of Object.values(byId)) meters.declare(id, failures);
  }

  /**
   * Charges an attempt, verifies the code or the assertion, and stores its use together with what `complete` stores: all of
   * it or nothing.
   * The attempt is refunded if `complete` throws.
   * @throws ServiceError `MFA_CODE_INVALID`, `MFA_LOCKED`, `MFA_STATE_CONFLICT` if the account has no authenticator, and for a
   * caller whose login has ended `MFA_TOKEN_INVALID` (with a `jti`) or `INVALID_TOKEN`
   */
  prove<T>(caller: AttemptSubject, submitted: SubmittedProof, complete: Complete<Proof, T>): Promise<T> {
    return this.verify(caller, ACTIVE_SECRET, submitted, complete);
  }

  /** Like `prove`, by a TOTP code of the caller's pending secret, which becomes the active one. */
  confirm<T>(
    caller: AttemptSubject & { readonly askedBy: string },
    submitted: Submitted<'totp'>,
    complete: Complete<Confirmation, T>,
  ): Promise<T> {
    const target: TargetSecret = { kind: 'pending', askedBy: caller.askedBy };
    return this.verify(caller, target, submitted, (tx, proof, { pending }) =>
      complete(tx, { ...proof, change: pending?.askedFor ?? 'first' }),
    );
  }

  /** Runs a step before an attempt is charged, and counts its error as the end of an attempt by this method. */
  beforeAttempt<T>(method: FactorId, step: () => Promise<T>): Promise<T> {
    return this.meters.countFailures(method, step);
  }

  /** Stores a new authenticator of a kind and returns what its owner is shown once. */
  enrol<Id extends FactorId>(
    id: Id,
    tx: Tx,
    authenticator: FactorTypes[Id]['authenticator'],
  ): Promise<FactorTypes[Id]['shown']> {
    return this.byId[id].enrol(tx, authenticator);
  }

  /** Deletes the authenticators of these kinds that the row of the account does not name. */
  async discard(
    tx: Tx,
    subject: string,
    named: NamedAuthenticators,
    ids: readonly FactorId[] = FACTOR_IDS,
  ): Promise<void> {
    for (const id of ids) await this.byId[id].discard(tx, subject, named);
  }

  state(stored: StoredFactors): Omit<EnrolmentState, 'lock'> {
    const totp = this.byId.totp.state(stored);
    const { since } = this.byId.passkey.state(stored);
    const instants = [totp.activatedAt, since].filter((at) => at !== undefined);
    return {
      ...totp,
      ...(instants.length > 0 && { state: 'active', activatedAt: Math.min(...instants) }),
      hasTotp: totp.state === 'active',
      hasPasskey: since !== undefined,
      backupCodes: this.byId.backup_code.state(stored),
    };
  }

  private verify<T>(
    caller: AttemptSubject,
    target: TargetSecret,
    submitted: SubmittedProof,
    complete: (tx: Tx, proof: Proof, state: FactorState) => Promise<T>,
  ): Promise<T> {
    const { method } = submitted;
    const verify = (state: FactorState): Promise<Verdict> | Verdict => this.judge(submitted, { caller, target, state });
    return this.attempts.charge({ caller, target, method, verify }, (tx, { amr, ...verified }, state) =>
      complete(tx, { ...verified, amr: [...PWD, amr], provedAt: this.clock.seconds() }, state),
    );
  }

  private judge(
    { method, response }: SubmittedProof,
    attempt: Omit<ChargedAttempt, 'response'>,
  ): Promise<Verdict> | Verdict {
    return method === 'passkey'
      ? this.byId.passkey.verify({ ...attempt, response })
      : this.byId[method].verify({ ...attempt, response });
  }
}
