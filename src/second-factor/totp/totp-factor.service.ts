import { Injectable } from '@nestjs/common';
import { Clock } from '../../clock/clock.js';
import { type Tx, UnitOfWork } from '../../persistence/unit-of-work.js';
import { ACTIVE_SECRET, NO_SECRET, type Outcome, REPLAYED, WRONG_CODE } from '../attempts/attempt.js';
import { AttemptBudget } from '../attempts/attempt-budget.service.js';
import type { TotpState } from '../enrolment/enrolment-state.js';
import type {
  ChargedAttempt,
  Complete,
  NamedAuthenticators,
  NewAuthenticator,
  Proof,
  SecondFactor,
  StoredFactors,
} from '../second-factor.js';
import { SecondFactorStore } from '../second-factor.store.js';
import { verifyTotp } from './totp.js';
import { TotpSecrets } from './totp-secrets.service.js';

/** Codes of an authenticator app (RFC 6238); each step is accepted once. */
@Injectable()
export class TotpFactor implements SecondFactor<Uint8Array, TotpState> {
  readonly id = 'totp';
  readonly amr = 'otp';
  readonly failures = [WRONG_CODE.reason, REPLAYED.reason];

  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly budget: AttemptBudget,
    private readonly store: SecondFactorStore,
    private readonly secrets: TotpSecrets,
  ) {}

  async verify<T>({ caller, state, response }: ChargedAttempt, complete: Complete<Proof, T>): Promise<Outcome<T>> {
    const { active, lastUsedStep, roles } = state;
    if (!active) return { kind: 'refunded', refusal: NO_SECRET };
    const key = this.secrets.open(caller.subject, active.sealed);
    const verdict = verifyTotp(key, response, this.clock.seconds(), lastUsedStep);
    if (verdict.kind === 'wrong') return WRONG_CODE;
    if (verdict.kind === 'replayed') return REPLAYED;
    return this.work.run(async (tx) => {
      if (!(await this.store.acceptStep(tx, caller, active.id, verdict.step))) {
        return this.budget.resolveLost(tx, caller, ACTIVE_SECRET, verdict.step);
      }
      await this.secrets.renewSeal(tx, caller.subject, active);
      const { offset } = verdict;
      return { kind: 'done', result: await complete(tx, { method: 'totp', offset, roles }), offset };
    });
  }

  /** Stores a pending secret and returns its key. */
  async enrol(tx: Tx, { id, ...facts }: NewAuthenticator): Promise<Uint8Array> {
    const generated = this.secrets.generate(facts.subject);
    await this.secrets.insertPending(tx, id, generated, facts);
    return generated.key;
  }

  async activate(tx: Tx, id: string, now: number): Promise<void> {
    await this.secrets.activate(tx, id, now);
  }

  discard(tx: Tx, subject: string, { totpId, pendingTotpId }: NamedAuthenticators): Promise<void> {
    return this.secrets.keepOnly(
      tx,
      subject,
      [totpId, pendingTotpId].filter((id) => id !== null),
    );
  }

  state({ activatedAt, pendingUntil, pendingAskedBy }: StoredFactors): TotpState {
    const isPending = pendingUntil !== null && this.clock.seconds() < pendingUntil;
    return {
      state: activatedAt !== null ? 'active' : isPending ? 'pending' : 'none',
      ...(activatedAt !== null && { activatedAt }),
      ...(isPending && { pending: { until: pendingUntil, askedBy: pendingAskedBy ?? '' } }),
    };
  }
}
