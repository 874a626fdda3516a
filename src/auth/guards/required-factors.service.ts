import { Injectable } from '@nestjs/common';
import { Clock } from '../../clock/clock.js';
import type { RequiredAmr, RequiredFactor } from '../../principal/amr.js';
import { type FullPrincipal, hasFreshFactor } from '../../principal/principal.js';
import { MfaPolicy } from '../../second-factor/mfa-policy.service.js';
import { Reauthentication } from '../own/reauthentication.service.js';

/** Decides whether the second factor of a login is enough for a route or a management endpoint that requires one. */
@Injectable()
export class RequiredFactors {
  constructor(
    private readonly reauthentication: Reauthentication,
    private readonly policy: MfaPolicy,
    private readonly clock: Clock,
  ) {}

  /** The second factor that the login lacks; undefined if it is enough. @throws ServiceError `INVALID_TOKEN` */
  async missing(caller: FullPrincipal, required: RequiredAmr): Promise<RequiredFactor | undefined> {
    const factor = await this.asPolicyDemands(caller, required);
    return hasFreshFactor(caller, factor, this.clock.seconds()) ? undefined : factor;
  }

  /** "Any second factor" means a passkey for an account of which policy demands one, also before it has one. */
  private async asPolicyDemands(caller: FullPrincipal, required: RequiredAmr): Promise<RequiredFactor> {
    if (required.method !== 'mfa' || !this.policy.mayDemandPasskey) return required;
    const account = await this.reauthentication.accountOf(caller);
    return this.policy.demandsPasskey(account) ? { ...required, method: 'passkey' } : required;
  }
}
