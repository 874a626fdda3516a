import { Injectable } from '@nestjs/common';
import { OwnSecondFactor } from '../../auth/own/own-second-factor.service.js';
import { Clock } from '../../clock/clock.js';
import { withoutUndefined } from '../../collections/without-undefined.js';
import type { FullPrincipal } from '../../principal/principal.js';
import { Idps } from '../../saml/idp/idps.service.js';
import type { SecondFactorSummary } from './second-factor-summary.js';

const SECONDS_PER_DAY = 86_400;

/** Reads the summary of the caller's second factor. */
@Injectable()
export class SecondFactorSummaries {
  constructor(
    private readonly own: OwnSecondFactor,
    private readonly idps: Idps,
    private readonly clock: Clock,
  ) {}

  async of(caller: FullPrincipal): Promise<SecondFactorSummary> {
    const { factors, isDemanded, demandedFrom } = await this.own.state(caller);
    const { remaining: codesLeft, isLow } = factors.backupCodes;
    const isActive = factors.state === 'active';
    return {
      ...{ isActive, codesLeft, isLow, isDemanded },
      ...withoutUndefined({
        activatedAt: factors.activatedAt,
        policy: isActive || demandedFrom === undefined ? undefined : this.policyFrom(demandedFrom),
        organisation: caller.idp === undefined ? undefined : this.idps.displayName(caller.idp),
      }),
    };
  }

  private policyFrom(from: number): NonNullable<SecondFactorSummary['policy']> {
    return { from, days: Math.max(0, Math.floor((from - this.clock.seconds()) / SECONDS_PER_DAY)) };
  }
}
