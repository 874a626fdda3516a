import { Injectable } from '@nestjs/common';
import { OwnSecondFactor } from '../../../signin/auth/own/own-second-factor.service.js';
import { Clock } from '../../../kernel/clock/clock.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import type { FullPrincipal } from '../../../kernel/principal/principal.js';
import { Idps } from '../../../signin/saml/idp/idps.service.js';
import { MAX_TOTPS } from '../../../identity/second-factor/attempts/attempt.js';
import { MfaPolicy } from '../../../identity/second-factor/mfa-policy.service.js';
import { MAX_PASSKEYS } from '../../../identity/second-factor/passkey/passkey.js';
import type { AuthenticatorType } from '../../../identity/second-factor/factor-state.js';
import type { PolicyDate, SecondFactorSummary } from './second-factor-summary.js';

const SECONDS_PER_DAY = 86_400;
const MAX_AUTHENTICATORS: Readonly<Record<AuthenticatorType, number>> = { totp: MAX_TOTPS, passkey: MAX_PASSKEYS };

/** Reads the summary of the caller's second factor. */
@Injectable()
export class SecondFactorSummaries {
  constructor(
    private readonly own: OwnSecondFactor,
    private readonly mfaPolicy: MfaPolicy,
    private readonly idps: Idps,
    private readonly clock: Clock,
  ) {}

  async of(caller: FullPrincipal): Promise<SecondFactorSummary> {
    const { factors, authenticators, enrolmentMethods, ...policy } = await this.own.state(caller);
    const { isDemanded, isPasskeyDemanded, demandedFrom, passkeyFrom } = policy;
    const { remaining: codesLeft, isLow } = factors.backupCodes;
    const isActive = factors.state === 'active';
    const countOf = (type: AuthenticatorType): number => authenticators.filter((each) => each.type === type).length;
    return {
      ...{ isActive, authenticators, codesLeft, isLow, isDemanded, isPasskeyDemanded },
      arePasskeysUsable: this.mfaPolicy.arePasskeysUsable,
      addable: enrolmentMethods.filter((type) => countOf(type) < MAX_AUTHENTICATORS[type]),
      ...withoutUndefined({
        activatedAt: factors.activatedAt,
        // If both dates are equal, the passkey satisfies the other requirement as well.
        policy: isActive || demandedFrom === passkeyFrom ? undefined : this.dateOf(demandedFrom),
        passkeyPolicy: factors.hasPasskey ? undefined : this.dateOf(passkeyFrom),
        organisation: caller.idp === undefined ? undefined : this.idps.displayName(caller.idp),
      }),
    };
  }

  private dateOf(from: number | undefined): PolicyDate | undefined {
    if (from === undefined) return undefined;
    return { from, days: Math.max(0, Math.floor((from - this.clock.seconds()) / SECONDS_PER_DAY)) };
  }
}
