import { Injectable } from '@nestjs/common';
import type { Account } from '../account/account.js';
import type { Logger } from '../logging/logger.js';
import { Loggers } from '../logging/loggers.js';
import { MfaProperties } from '../second-factor/mfa.properties.js';
import { isDemanded } from '../second-factor/policy.js';
import { LoginMeters } from './login-meters.js';
import { type PasswordCredentials, PasswordVerifier } from './password-verifier.service.js';

/** A right password and what is still open. */
export interface FirstFactorResult {
  readonly account: Account;
  /** `none`: the login is complete; `verify`: a code; `enrol`: policy demands a factor that does not exist yet. */
  readonly next: 'none' | 'verify' | 'enrol';
  /** Cookie of a browser that may be trusted in place of a code: only where policy demands none. */
  readonly trustedDevice?: string;
}

/** What is still open, for the log. */
const OPEN: Readonly<Record<FirstFactorResult['next'], string>> = {
  none: 'no code is due',
  verify: 'a code is due, but of a trusted browser where policy demands none',
  enrol: 'policy demands a second factor that does not exist yet',
};

/** The first step of every login: the password, then what policy and enrolment ask for. */
@Injectable()
export class PasswordAuthenticator {
  private readonly log: Logger;

  constructor(
    private readonly password: PasswordVerifier,
    private readonly policy: MfaProperties,
    private readonly meters: LoginMeters,
    loggers: Loggers,
  ) {
    this.log = loggers.get('auth');
  }

  /** @throws ServiceError as `PasswordProof.ofLogin` */
  async authenticate(credentials: PasswordCredentials, trustedDevice: string | undefined): Promise<FirstFactorResult> {
    const account = await this.meters.countFailures(() => this.password.verifyLogin(credentials));
    const demanded = isDemanded(account, this.policy);
    const hasFactor = account.totpId !== undefined;
    const next = hasFactor ? 'verify' : demanded ? 'enrol' : 'none';
    this.log.debug(`A password is right: ${OPEN[next]}`, {
      hasFactor,
      demanded,
      sentDevice: trustedDevice !== undefined,
    });
    const mayTrust = hasFactor && !demanded && trustedDevice !== undefined;
    return { account, next, ...(mayTrust && { trustedDevice }) };
  }
}
