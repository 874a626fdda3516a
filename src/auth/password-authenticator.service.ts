import { Injectable } from '@nestjs/common';
import type { Account } from '../account/account.js';
import type { Logger } from '../logging/logger.js';
import { Loggers } from '../logging/loggers.js';
import { MfaProperties } from '../second-factor/mfa.properties.js';
import { isDemanded } from '../second-factor/policy.js';
import { LoginMeters } from './login-meters.js';
import { type PasswordCredentials, PasswordVerifier } from './password-verifier.service.js';

/** A verified password, and the step that is due next. */
export interface FirstFactorResult {
  readonly account: Account;
  /** `none`: the login is complete; `verify`: a code is due; `enrol`: policy demands a factor that does not exist yet. */
  readonly next: 'none' | 'verify' | 'enrol';
  /** Cookie of a browser that may replace the code; only if policy demands no second factor. */
  readonly trustedDevice?: string;
}

/** Texts of the log for the next step. */
const OPEN: Readonly<Record<FirstFactorResult['next'], string>> = {
  none: 'no code is due',
  verify: 'a code is due unless the browser is trusted and policy demands none',
  enrol: 'policy demands a second factor that does not exist yet',
};

/** First step of every login: verifies the password and finds out which step is due next. */
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

  /** @throws ServiceError as `PasswordVerifier.verifyLogin` does */
  async authenticate(credentials: PasswordCredentials, trustedDevice: string | undefined): Promise<FirstFactorResult> {
    const account = await this.meters.countFailures(() => this.password.verifyLogin(credentials));
    const demanded = isDemanded(account, this.policy);
    const hasFactor = account.totpId !== undefined;
    const next = hasFactor ? 'verify' : demanded ? 'enrol' : 'none';
    this.log.debug(`Password verified: ${OPEN[next]}`, {
      hasFactor,
      demanded,
      sentDevice: trustedDevice !== undefined,
    });
    const mayTrust = hasFactor && !demanded && trustedDevice !== undefined;
    return { account, next, ...(mayTrust && { trustedDevice }) };
  }
}
