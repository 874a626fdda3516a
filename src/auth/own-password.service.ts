import { Injectable } from '@nestjs/common';
import { Accounts } from '../account/accounts.service.js';
import { PasswordChanges } from '../account/password/passwords.service.js';
import { Clock } from '../clock/clock.js';
import { ServiceError } from '../errors/service-error.js';
import { MfaProperties } from '../second-factor/mfa.properties.js';
import { SecondFactors } from '../second-factor/second-factors.service.js';
import { TrustedDevices } from '../second-factor/trusted-device/trusted-devices.service.js';
import { type Tx, UnitOfWork } from '../persistence/unit-of-work.js';
import { type FullPrincipal, hasFreshOtp } from '../principal/principal.js';
import { Sessions } from '../session/sessions.service.js';
import { StepUpRequired } from '../principal/amr.js';
import { PasswordVerifier } from './password-verifier.service.js';

export interface NewPassword {
  readonly current: string;
  readonly new: string;
  readonly code?: string | undefined;
}

/** Changes the password of the signed-in user; all other sessions and the trusted devices end. */
@Injectable()
export class OwnPassword {
  constructor(
    private readonly accounts: Accounts,
    private readonly password: PasswordVerifier,
    private readonly changes: PasswordChanges,
    private readonly secondFactors: SecondFactors,
    private readonly trustedDevices: TrustedDevices,
    private readonly sessions: Sessions,
    private readonly policy: MfaProperties,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws ServiceError `INVALID_CREDENTIALS` for a wrong current password, `STEP_UP_REQUIRED` where the account has a
   * second factor and neither a fresh one nor a code comes along, `VALIDATION_FAILED` for a weak new one
   */
  async change(caller: FullPrincipal, { current, new: next, code }: NewPassword): Promise<void> {
    const { subject } = caller;
    const account = await this.accounts.find(subject);
    if (!account) throw new ServiceError('INVALID_TOKEN', { reason: 'account gone' });
    const maxAge = this.policy.freshAuth.seconds;
    const mustProve = account.totpId !== undefined && !hasFreshOtp(caller, this.clock.seconds(), maxAge);
    if (mustProve && code === undefined) {
      throw new StepUpRequired({ method: 'otp', maxAge });
    }
    await this.password.verifySubject(subject, current, 'current');
    const ready = await this.changes.ready(subject, next, 'new');
    const store = async (tx: Tx): Promise<void> => {
      await this.changes.change(tx, subject, ready, account.securityStamp);
      await this.sessions.endAll(tx, subject, caller.sid);
      await this.trustedDevices.revokeAll(tx, subject);
    };
    if (mustProve && code !== undefined) await this.secondFactors.prove({ subject, code }, store);
    else await this.work.run(store);
  }
}
