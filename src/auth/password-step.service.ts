import { Injectable } from '@nestjs/common';
import type { Account } from '../account/account.js';
import { MfaProperties } from '../mfa/mfa.properties.js';
import { isDemanded } from '../mfa/policy.js';
import { LoginMeters } from './login-meters.js';
import { type Credentials, PasswordProof } from './password-proof.service.js';

/** A right password and what is still open. */
export interface PasswordPassed {
  readonly account: Account;
  /** `none`: the login is complete; `verify`: a code; `enrol`: policy demands a factor that does not exist yet. */
  readonly next: 'none' | 'verify' | 'enrol';
  /** Cookie of a browser that may be trusted in place of a code: only where policy demands none. */
  readonly trustedDevice?: string;
}

/** The first step of every login: the password, then what policy and enrolment ask for. */
@Injectable()
export class PasswordStep {
  constructor(
    private readonly password: PasswordProof,
    private readonly policy: MfaProperties,
    private readonly meters: LoginMeters,
  ) {}

  /** @throws ServiceError as `PasswordProof.ofLogin` */
  async pass(credentials: Credentials, trustedDevice: string | undefined): Promise<PasswordPassed> {
    const account = await this.meters.refusals(() => this.password.ofLogin(credentials));
    const demanded = isDemanded(account, this.policy);
    if (account.totpId === undefined) return { account, next: demanded ? 'enrol' : 'none' };
    const mayTrust = !demanded && trustedDevice !== undefined;
    return { account, next: 'verify', ...(mayTrust && { trustedDevice }) };
  }
}
