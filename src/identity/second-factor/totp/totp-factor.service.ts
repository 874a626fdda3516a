import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/clock.js';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';
import {
  type FailedAttempt,
  hasAuthenticator,
  NO_SECRET,
  pendingSecretOf,
  REPLAYED,
  WRONG_CODE,
} from '../attempts/attempt.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import type {
  ChargedAttempt,
  NamedAuthenticators,
  PendingAuthenticator,
  SecondFactor,
  StoredFactors,
  TotpState,
  Verdict,
  VerifiedResponse,
} from '../second-factor.js';
import { SecondFactorStore } from '../second-factor.store.js';
import { type StepOffset, type TotpVerdict, verifyTotp } from './totp.js';
import { TotpSecrets } from './totp-secrets.service.js';

/** Codes of an authenticator app (RFC 6238); each step is accepted once. */
@Injectable()
export class TotpFactor implements SecondFactor<'totp'> {
  readonly id = 'totp';
  readonly failures = [WRONG_CODE.reason, REPLAYED.reason];

  constructor(
    private readonly clock: Clock,
    private readonly store: SecondFactorStore,
    private readonly secrets: TotpSecrets,
  ) {}

  /** Judges a code of one of the active secrets, or of the pending secret, which the code makes an active one. */
  verify({ caller, target, state, response }: ChargedAttempt<'totp'>): Verdict {
    const now = this.clock.seconds();
    const judge = (sealed: string): TotpVerdict =>
      verifyTotp(this.secrets.open(caller.subject, sealed), response, now, state.lastUsedStep);
    const { roles } = state;
    const verified = (offset: StepOffset): VerifiedResponse => ({ method: 'totp', amr: 'otp', offset, roles });
    if (target.kind === 'pending') {
      const pending = pendingSecretOf(state, target.askedBy, now);
      if (!pending) return { kind: 'refunded', refusal: NO_SECRET };
      const verdict = judge(pending.sealed);
      if (verdict.kind !== 'accepted') return failureOf(verdict);
      const { step, offset } = verdict;
      return {
        kind: 'acceptable',
        accept: async (tx) =>
          (await this.store.confirmPending(tx, caller, pending, { step, now }))
            ? { kind: 'verified', response: verified(offset) }
            : { kind: 'lost', step },
      };
    }
    if (!hasAuthenticator(state)) return { kind: 'refunded', refusal: NO_SECRET };
    // Every app is asked, so that the time does not reveal which one fits.
    const verdicts = state.active.map((secret) => ({ secret, verdict: judge(secret.sealed) }));
    const fitting = verdicts.find(({ verdict }) => verdict.kind === 'accepted');
    if (fitting?.verdict.kind !== 'accepted') {
      return failureOf(verdicts.find(({ verdict }) => verdict.kind === 'replayed')?.verdict ?? { kind: 'wrong' });
    }
    const { secret } = fitting;
    const { step, offset } = fitting.verdict;
    const expected = verified(offset);
    return {
      kind: 'acceptable',
      expected,
      accept: async (tx) => {
        // The row of the account first. What follows it is rolled back if the step is lost.
        const [isAccepted, isStored] = await Promise.all([
          this.store.acceptStep(tx, caller, state, step),
          this.secrets.recordUse(tx, secret.id, now),
          this.secrets.renewSeal(tx, caller.subject, secret),
        ]);
        if (!isAccepted) return { kind: 'lost', step };
        return isStored ? { kind: 'verified', response: expected } : { kind: 'lost' };
      },
    };
  }

  /** Stores a pending secret and returns its key. */
  async enrol(tx: Tx, { id, ...facts }: PendingAuthenticator): Promise<Uint8Array> {
    const generated = this.secrets.generate(facts.subject);
    await this.secrets.insertPending(tx, id, generated, facts);
    return generated.key;
  }

  discard(tx: Tx, subject: string, { totpCount, pendingTotpId }: NamedAuthenticators): Promise<void> {
    return this.secrets.discard(tx, subject, { keepsActive: totpCount > 0, pendingId: pendingTotpId });
  }

  state({ totpSince: activatedAt, pendingUntil, pendingAskedBy }: StoredFactors): TotpState {
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

function failureOf({ kind }: Pick<TotpVerdict, 'kind'>): FailedAttempt {
  return kind === 'replayed' ? REPLAYED : WRONG_CODE;
}
