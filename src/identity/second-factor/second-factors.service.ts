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
  malformedCode,
  type NamedAuthenticators,
  type Proof,
  type SecondFactorsById,
  type StoredFactors,
  type SubmittedResponse,
  submittedCode,
  totpDigits,
  type Verdict,
} from './second-factor.js';
import type { PasskeyResponse } from './passkey/passkey.js';

/** Token of the second factors by their ids. */
export const SECOND_FACTORS = Symbol('SECOND_FACTORS');

/** What an attempt submits: a code, or the assertion of a passkey. */
export type SubmittedAttempt = { readonly code: string } | { readonly response: PasskeyResponse };

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
   * Charges an attempt, verifies the code, and stores its use together with what `complete` stores: all of it or nothing.
   * The attempt is refunded if `complete` throws.
   * @throws ServiceError `MFA_CODE_INVALID`, `MFA_LOCKED`, `MFA_STATE_CONFLICT` if the account has no authenticator, and for a
   * caller whose login has ended `MFA_TOKEN_INVALID` (with a `jti`) or `INVALID_TOKEN`
   */
  async prove<T>(caller: AttemptSubject & { readonly code: string }, complete: Complete<Proof, T>): Promise<T> {
    const code = submittedCode(caller.code);
    if (!code) throw malformedCode();
    return this.verify(caller, ACTIVE_SECRET, code, complete);
  }

  /** Like `prove`, by an assertion of a passkey; `askedBy` is the session or `mfa_token` that asked for its challenge. */
  async assert<T>(
    caller: AttemptSubject & { readonly response: PasskeyResponse },
    complete: Complete<Proof, T>,
  ): Promise<T> {
    return this.verify(caller, ACTIVE_SECRET, { method: 'passkey', response: caller.response }, complete);
  }

  /** `prove` or `assert`. */
  proveBy<T>(caller: AttemptSubject & SubmittedAttempt, complete: Complete<Proof, T>): Promise<T> {
    return 'code' in caller ? this.prove(caller, complete) : this.assert(caller, complete);
  }

  /** Like `prove`, by a TOTP code of the caller's pending secret, which becomes the active one. */
  async confirm<T>(
    caller: AttemptSubject & { readonly askedBy: string; readonly code: string },
    complete: Complete<Confirmation, T>,
  ): Promise<T> {
    const text = totpDigits(caller.code);
    if (text === undefined) throw malformedCode();
    const target: TargetSecret = { kind: 'pending', askedBy: caller.askedBy };
    return this.verify(caller, target, { method: 'totp', response: text }, (tx, proof, { pending }) =>
      complete(tx, { ...proof, change: pending?.askedFor ?? 'first' }),
    );
  }

  /** Runs a step before an attempt is charged, and counts its error as the end of an attempt with `code`. */
  beforeAttempt<T>(code: string, step: () => Promise<T>): Promise<T> {
    // A text without the form of any code is counted as a backup code.
    return this.meters.countFailures(submittedCode(code)?.method ?? 'backup_code', step);
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
    submitted: SubmittedResponse,
    complete: (tx: Tx, proof: Proof, state: FactorState) => Promise<T>,
  ): Promise<T> {
    const { method } = submitted;
    const verify = (state: FactorState): Promise<Verdict> | Verdict => this.judge(submitted, { caller, target, state });
    return this.attempts.charge({ caller, target, method, verify }, (tx, { amr, ...verified }, state) =>
      complete(tx, { ...verified, amr: [...PWD, amr], provedAt: this.clock.seconds() }, state),
    );
  }

  private judge(
    { method, response }: SubmittedResponse,
    attempt: Omit<ChargedAttempt, 'response'>,
  ): Promise<Verdict> | Verdict {
    return method === 'passkey'
      ? this.byId.passkey.verify({ ...attempt, response })
      : this.byId[method].verify({ ...attempt, response });
  }
}
