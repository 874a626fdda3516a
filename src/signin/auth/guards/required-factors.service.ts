import { Injectable } from '@nestjs/common';
import type { Account } from '../../../identity/account/account.js';
import { Clock } from '../../../kernel/clock/clock.js';
import type { RequiredAmr, RequiredFactor } from '../../../kernel/principal/amr.js';
import { type FullPrincipal, hasFreshFactor } from '../../../kernel/principal/principal.js';
import { MfaPolicy } from '../../../identity/second-factor/mfa-policy.service.js';
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
    const dependsOnAccount = required.method === 'mfa' && this.policy.mayDemandPasskey;
    return dependsOnAccount
      ? this.missingOf(caller, await this.reauthentication.accountOf(caller), required)
      : this.unlessFresh(caller, required);
  }

  /** Decides as `missing` does, for an account that the caller has read already. */
  missingOf(caller: FullPrincipal, account: Account, required: RequiredAmr): RequiredFactor | undefined {
    // "Any second factor" means a passkey for an account of which policy demands one, also before it has one.
    const isPasskey = required.method === 'mfa' && this.policy.demandsPasskey(account);
    return this.unlessFresh(caller, isPasskey ? { ...required, method: 'passkey' } : required);
  }

  private unlessFresh(caller: FullPrincipal, factor: RequiredFactor): RequiredFactor | undefined {
    return hasFreshFactor(caller, factor, this.clock.seconds()) ? undefined : factor;
  }
}
