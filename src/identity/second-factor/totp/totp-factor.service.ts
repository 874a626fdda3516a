import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/clock.js';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';
import {
  type FactorState,
  hasAuthenticator,
  NO_SECRET,
  pendingSecretOf,
  REPLAYED,
  type SealedSecret,
  type TargetSecret,
  WRONG_CODE,
} from '../attempts/attempt.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import type {
  Acceptance,
  ChargedAttempt,
  SecondFactor,
  TotpMatch,
  Verdict,
  VerifiedResponse,
} from '../second-factor.js';
import type { TotpState } from '../factor-state.js';
import type { StoredFactors } from '../factor-state.js';
import type { NamedAuthenticators } from '../factor-state.js';
import type { PendingAuthenticator } from '../factor-state.js';
import { SecondFactorStore } from '../second-factor.store.js';
import { verifyTotp } from './totp.js';
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
  verify(attempt: ChargedAttempt<'totp'>): Verdict<'totp'> {
    const { caller, target, state, response } = attempt;
    const now = this.clock.seconds();
    const secrets = secretsOf(state, target, now);
    if (!secrets) return { kind: 'refunded', rejection: NO_SECRET };
    // Every app is asked, so that the time does not reveal which one fits.
    const verdicts = secrets.map((secret) => ({
      secret,
      verdict: verifyTotp(this.secrets.open(caller.subject, secret.sealed), response, now, state.lastUsedStep),
    }));
    const fitting = verdicts.find(({ verdict }) => verdict.kind === 'accepted');
    if (fitting?.verdict.kind !== 'accepted') {
      return verdicts.some(({ verdict }) => verdict.kind === 'replayed') ? REPLAYED : WRONG_CODE;
    }
    const { step, offset } = fitting.verdict;
    const match = { secret: fitting.secret, step, offset };
    // The confirmation of a pending secret comes before what follows from it.
    return { kind: 'acceptable', match, ...(target.kind === 'active' && { expected: verified(attempt, match) }) };
  }

  async accept(tx: Tx, attempt: ChargedAttempt<'totp'>, match: TotpMatch): Promise<Acceptance> {
    const { caller, state } = attempt;
    const { secret, step } = match;
    if (attempt.target.kind === 'pending') return this.confirm(tx, attempt, match);
    // The row of the account first. What follows it is rolled back if the step is lost.
    const [isAccepted, isStored] = await Promise.all([
      this.store.acceptStep(tx, caller, state, step),
      this.secrets.recordUse(tx, secret.id, this.clock.seconds()),
      this.secrets.renewSeal(tx, caller.subject, secret),
    ]);
    if (!isAccepted) return { kind: 'lost', step };
    return isStored ? { kind: 'verified', response: verified(attempt, match) } : { kind: 'lost' };
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

  state({ totpSince: activatedAt, pendingUntil, pendingRequestedBy }: StoredFactors): TotpState {
    const isPending = pendingUntil !== null && this.clock.seconds() < pendingUntil;
    return {
      state: activatedAt !== null ? 'active' : isPending ? 'pending' : 'none',
      ...withoutUndefined({
        activatedAt: activatedAt ?? undefined,
        pending: isPending ? { until: pendingUntil, requestedBy: pendingRequestedBy ?? '' } : undefined,
      }),
    };
  }

  private async confirm(tx: Tx, attempt: ChargedAttempt<'totp'>, match: TotpMatch): Promise<Acceptance> {
    const { pending } = attempt.state;
    const { step } = match;
    const now = this.clock.seconds();
    const isConfirmed = pending && (await this.store.confirmPending(tx, attempt.caller, pending, { step, now }));
    return isConfirmed ? { kind: 'verified', response: verified(attempt, match) } : { kind: 'lost', step };
  }
}

/** The secrets whose codes are accepted; undefined if the account has none, or another login asked for the pending one. */
function secretsOf(state: FactorState, target: TargetSecret, now: number): readonly SealedSecret[] | undefined {
  if (target.kind !== 'pending') return hasAuthenticator(state) ? state.active : undefined;
  const pending = pendingSecretOf(state, target.requestedBy, now);
  return pending && [pending];
}

function verified({ state: { roles } }: ChargedAttempt<'totp'>, { offset }: TotpMatch): VerifiedResponse {
  return { method: 'totp', amr: 'otp', offset, roles };
}
