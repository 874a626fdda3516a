import { Injectable } from '@nestjs/common';
import type { Account } from '../../account/account.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { type Tx, UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import { type AttemptSubject, rejectionError } from '../attempts/attempt.js';
import { AttemptBudget } from '../attempts/attempt-budget.service.js';
import { AttemptMeters } from '../attempts/attempt-meters.js';
import { MfaPolicy } from '../mfa-policy.service.js';
import { AccessCodes, type EnrollingLogin } from './access-codes.service.js';

const WRONG = { kind: 'failed', event: 'MFA_FAILED', reason: 'wrong_access_code' } as const;
const METHOD = 'access_code';

/** A login that sets up the first authenticator of its account, and may still act. */
export type EnrollingSubject = AttemptSubject & EnrollingLogin;

/** Attempts at temporary access codes; they are charged to the budget of the second factor, which also locks. */
@Injectable()
export class AccessCodeAttempts {
  constructor(
    private readonly codes: AccessCodes,
    private readonly budget: AttemptBudget,
    private readonly work: UnitOfWork,
    private readonly meters: AttemptMeters,
    private readonly policy: MfaPolicy,
  ) {
    meters.declare(METHOD, [WRONG.reason]);
  }

  /** True if the account needs a code that this login has not used. */
  async isMissing(account: Account, login: EnrollingLogin): Promise<boolean> {
    return this.policy.demandsAccessCode(account) && !(await this.work.single((tx) => this.codes.isUsedBy(tx, login)));
  }

  /**
   * Uses up a normalised code. The failures of the account stay as they were; the authenticator that follows ends them.
   * @throws ServiceError `MFA_CODE_INVALID`, `MFA_LOCKED`; `MFA_STATE_CONFLICT` if the account has an authenticator; for a login
   * that has ended `MFA_TOKEN_INVALID` or `INVALID_TOKEN`
   */
  async use(caller: EnrollingSubject, code: string): Promise<void> {
    try {
      await this.attempt(caller, code);
      this.meters.countSuccess(METHOD);
    } catch (error) {
      this.meters.countFailure(METHOD, error);
      throw error;
    }
  }

  /**
   * Deletes the code of the login whose authenticator the transaction stores.
   * @throws ServiceError `MFA_STATE_CONFLICT` if the account needs a code and this login has none, or no longer
   */
  async spend(tx: Tx, account: Account, login: EnrollingLogin): Promise<void> {
    const isSpent = await this.codes.spend(tx, login);
    if (!isSpent && this.policy.demandsAccessCode(account)) {
      throw new ServiceError('MFA_STATE_CONFLICT', { reason: 'no access code' });
    }
    await this.codes.forget(tx, login.subject);
  }

  private async attempt(caller: EnrollingSubject, code: string): Promise<void> {
    const charge = await this.budget.take(caller, { kind: 'none' });
    if (charge.kind === 'rejected') throw rejectionError(charge.rejection, caller, charge.at);
    if (await this.isAccepted(caller, code)) {
      await this.budget.refund(caller);
      return;
    }
    await this.budget.fail(caller.subject, charge.id, WRONG);
    throw new ServiceError('MFA_CODE_INVALID', { reason: WRONG.reason });
  }

  /** Refunds the attempt if it ends without a verdict. */
  private async isAccepted(caller: EnrollingSubject, code: string): Promise<boolean> {
    try {
      return await this.work.run((tx) => this.codes.use(tx, caller, code));
    } catch (error) {
      await this.budget.refund(caller);
      throw error;
    }
  }
}
