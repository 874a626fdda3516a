import { Injectable } from '@nestjs/common';
import { Clock } from '../../clock/clock.js';
import type { Tx } from '../../persistence/unit-of-work.js';
import { NO_SECRET, REPLAYED, secretOf, WRONG_CODE } from '../attempts/attempt.js';
import { withoutUndefined } from '../../collections/without-undefined.js';
import type {
  Acceptance,
  ChargedAttempt,
  NamedAuthenticators,
  PendingAuthenticator,
  SecondFactor,
  StoredFactors,
  TotpState,
  Verdict,
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
    private readonly clock: Clock,
    private readonly store: SecondFactorStore,
    private readonly secrets: TotpSecrets,
  ) {}

  /** Judges a code of the active secret, or of the pending secret, which the code makes the active one. */
  verify({ caller, target, state, response }: ChargedAttempt): Verdict {
    const now = this.clock.seconds();
    const secret = secretOf(state, target, now);
    if (!secret) return { kind: 'refunded', refusal: NO_SECRET };
    const key = this.secrets.open(caller.subject, secret.sealed);
    const verdict = verifyTotp(key, response, now, state.lastUsedStep);
    if (verdict.kind === 'wrong') return WRONG_CODE;
    if (verdict.kind === 'replayed') return REPLAYED;
    const { step, offset } = verdict;
    return {
      kind: 'acceptable',
      accept: async (tx): Promise<Acceptance> => {
        const isAccepted =
          target.kind === 'active'
            ? await this.store.acceptStep(tx, caller, secret.id, step)
            : await this.store.confirmPending(tx, caller, secret.id, { step, now });
        if (!isAccepted) return { kind: 'lost', step };
        if (target.kind === 'active') await this.secrets.renewSeal(tx, caller.subject, secret);
        return { kind: 'verified', response: { method: 'totp', offset, roles: state.roles } };
      },
    };
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
