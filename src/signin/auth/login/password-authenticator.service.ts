import { Injectable } from '@nestjs/common';
import type { Account } from '../../../identity/account/account.js';
import { Accounts } from '../../../identity/account/accounts.service.js';
import { Clock } from '../../../kernel/clock/clock.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import type { Logger } from '../../../observability/logging/logger.js';
import { Loggers } from '../../../observability/logging/loggers.js';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';
import { MfaPolicy } from '../../../identity/second-factor/mfa-policy.service.js';
import type { DueStep, NextStep } from '../../../identity/second-factor/second-factor.js';
import { type PasswordCredentials, PasswordVerifier } from './password-verifier.service.js';

/** A verified password, and the step that is due next. */
export interface FirstFactorResult extends DueStep {
  readonly account: Account;
  /** When the password was verified, in epoch seconds. */
  readonly authTime: number;
  /** Cookie of a browser that may replace the second step; only if policy demands no second factor. */
  readonly trustedDevice?: string;
}

/** Texts of the log for the next step. */
const DUE: Readonly<Record<NextStep, string>> = {
  none: 'no second step is due',
  verify: 'the second step is due unless the browser is trusted and policy demands none',
  enrol: 'policy demands a second factor that does not exist yet',
};

/** First step of every login: verifies the password and decides which step is due next. */
@Injectable()
export class PasswordAuthenticator {
  private readonly log: Logger;

  constructor(
    private readonly password: PasswordVerifier,
    private readonly accounts: Accounts,
    private readonly policy: MfaPolicy,
    private readonly clock: Clock,
    loggers: Loggers,
  ) {
    this.log = loggers.get('auth');
  }

  /** @throws ServiceError as `PasswordVerifier.verifyLogin` does */
  async authenticate(credentials: PasswordCredentials, trustedDevice: string | undefined): Promise<FirstFactorResult> {
    const account = await this.password.verifyLogin(credentials);
    const demanded = this.policy.demands(account);
    const due = this.policy.dueStep(account);
    const hasFactor = due.next === 'verify';
    this.log.debug(`Password verified: ${DUE[due.next]}`, {
      hasFactor,
      demanded,
      sentDevice: trustedDevice !== undefined,
    });
    const mayTrust = hasFactor && !demanded;
    return {
      account,
      ...due,
      authTime: this.clock.seconds(),
      ...withoutUndefined({ trustedDevice: mayTrust ? trustedDevice : undefined }),
    };
  }

  /**
   * Ends a login whose account has changed since the password was verified: what ended all sessions of the account ends
   * this login, too, and so does the first authenticator that was added, or the last one that was removed.
   * @throws ServiceError `INVALID_CREDENTIALS`
   */
  async requireUnchanged(tx: Tx, account: Account): Promise<void> {
    if (await this.accounts.holds(tx, account)) return;
    throw new ServiceError('INVALID_CREDENTIALS', { reason: 'account changed' });
  }
}
