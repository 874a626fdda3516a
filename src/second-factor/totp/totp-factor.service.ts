import { Injectable } from '@nestjs/common';
import { Clock } from '../../clock/clock.js';
import { type Tx, UnitOfWork } from '../../persistence/unit-of-work.js';
import { NO_SECRET, type Outcome, REPLAYED, secretOf, WRONG_CODE } from '../attempts/attempt.js';
import { AttemptBudget } from '../attempts/attempt-budget.service.js';
import { withoutUndefined } from '../../collections/without-undefined.js';
import type {
  ChargedAttempt,
  Complete,
  NamedAuthenticators,
  PendingAuthenticator,
  SecondFactor,
  StoredFactors,
  TotpState,
  VerifiedResponse,
} from '../second-factor.js';
import { SecondFactorStore } from '../second-factor.store.js';
import { verifyTotp } from './totp.js';
import { TotpSecrets } from './totp-secrets.service.js';

/** Codes of an authenticator app (RFC 6238); each step is accepted once. */
@Injectable()
export class TotpFactor implements SecondFactor<'totp'> {
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

  /** Accepts a code of the active secret; a code of the pending secret makes that secret the active one. */
  async verify<T>(
    { caller, target, state, response }: ChargedAttempt,
    complete: Complete<VerifiedResponse, T>,
  ): Promise<Outcome<T>> {
    const now = this.clock.seconds();
    const secret = secretOf(state, target, now);
    if (!secret) return { kind: 'refunded', refusal: NO_SECRET };
    const key = this.secrets.open(caller.subject, secret.sealed);
    const verdict = verifyTotp(key, response, now, state.lastUsedStep);
    if (verdict.kind === 'wrong') return WRONG_CODE;
    if (verdict.kind === 'replayed') return REPLAYED;
    const { step, offset } = verdict;
    return this.work.run(async (tx) => {
      const isAccepted =
        target.kind === 'active'
          ? await this.store.acceptStep(tx, caller, secret.id, step)
          : await this.store.confirmPending(tx, caller, secret.id, { step, now });
      if (!isAccepted) return this.budget.resolveLost(tx, caller, target, step);
      if (target.kind === 'active') await this.secrets.renewSeal(tx, caller.subject, secret);
      return { kind: 'done', result: await complete(tx, { method: 'totp', offset, roles: state.roles }), offset };
    });
  }

  /** Stores a pending secret and returns its key. */
  async enrol(tx: Tx, { id, ...facts }: PendingAuthenticator): Promise<Uint8Array> {
    const generated = this.secrets.generate(facts.subject);
    await this.secrets.insertPending(tx, id, generated, facts);
    return generated.key;
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
      ...withoutUndefined({
        activatedAt: activatedAt ?? undefined,
        pending: isPending ? { until: pendingUntil, askedBy: pendingAskedBy ?? '' } : undefined,
      }),
    };
  }
}
