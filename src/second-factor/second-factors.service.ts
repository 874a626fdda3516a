import { Inject, Injectable } from '@nestjs/common';
import type { Tx } from '../persistence/unit-of-work.js';
import { type Amr, PWD } from '../principal/amr.js';
import { ACTIVE_SECRET, type AttemptSubject } from './attempts/attempt.js';
import { Attempts } from './attempts/attempts.service.js';
import { SecondFactorMeters } from './attempts/second-factor-meters.service.js';
import type { Complete, FactorId, NamedAuthenticators, Proof, SecondFactor } from './second-factor.js';
import { malformedCode, submittedCode } from './submitted-code.js';

export type { Proof };

/** Token of the list of all second factors. */
export const SECOND_FACTORS = Symbol('SECOND_FACTORS');

/** The second factors of the service under one budget of attempts. */
@Injectable()
export class SecondFactors {
  private readonly byId: ReadonlyMap<FactorId, SecondFactor>;

  constructor(
    @Inject(SECOND_FACTORS) factors: readonly SecondFactor[],
    private readonly attempts: Attempts,
    meters: SecondFactorMeters,
  ) {
    this.byId = new Map(factors.map((factor) => [factor.id, factor]));
    for (const { id, failures } of factors) meters.declare(id, failures);
  }

  /** `amr` of a login completed by a password and this factor. */
  amrOf(id: FactorId): Amr {
    return [...PWD, this.get(id).amr];
  }

  /**
   * Charges an attempt, verifies the code, and stores its use together with what `complete` stores: all of it or nothing.
   * The attempt is refunded if `complete` throws.
   * @throws ServiceError `MFA_CODE_INVALID`, `MFA_LOCKED`, `MFA_STATE_CONFLICT` where no secret is active, and for a
   * caller whose login has ended `MFA_TOKEN_INVALID` (with a `jti`) or `INVALID_TOKEN`
   */
  async prove<T>(caller: AttemptSubject & { readonly code: string }, complete: Complete<Proof, T>): Promise<T> {
    const code = submittedCode(caller.code);
    if (!code) throw malformedCode();
    const { method, text: response } = code;
    return this.attempts.charge(caller, ACTIVE_SECRET, method, (state) =>
      this.get(method).verify({ caller, state, response }, complete),
    );
  }

  /** Deletes the authenticators of every kind that the row of the account does not name. */
  async discard(tx: Tx, subject: string, named: NamedAuthenticators): Promise<void> {
    for (const factor of this.byId.values()) await factor.discard(tx, subject, named);
  }

  private get(id: FactorId): SecondFactor {
    const factor = this.byId.get(id);
    if (!factor) throw new TypeError(`no second factor "${id}"`);
    return factor;
  }
}
