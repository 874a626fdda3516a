import { Injectable } from '@nestjs/common';
import { ServiceError } from '../../kernel/errors/service-error.js';
import type { IssuedAccessCode } from '../../identity/second-factor/access-code/access-code.js';
import { AccessCodes } from '../../identity/second-factor/access-code/access-codes.service.js';
import { MfaPolicy } from '../../identity/second-factor/mfa-policy.service.js';
import type { Act } from './act.js';
import { type ActRule, AdminActs } from './admin-acts.service.js';

const ISSUE: ActRule = { name: 'issueAccessCode', byHelpDesk: true, notOnOneself: true, needsReason: true };

/** Issues temporary access codes to users whom the help desk has identified. */
@Injectable()
export class AccessCodeIssue {
  constructor(
    private readonly acts: AdminActs,
    private readonly codes: AccessCodes,
    private readonly policy: MfaPolicy,
  ) {}

  /**
   * Issues a code in place of an earlier one; it is shown once.
   * @throws ServiceError `VALIDATION_FAILED`; `NOT_FOUND`; `ACCESS_DENIED`; `CONFLICT` for the caller's own account;
   * `MFA_STATE_CONFLICT` for an account whose next authenticator needs no code
   */
  issue(subject: string, act: Act): Promise<IssuedAccessCode> {
    return this.acts.perform(ISSUE, subject, act, () =>
      this.acts.inTransaction(subject, act, (tx, before) => {
        if (!this.policy.demandsAccessCode(before)) {
          throw new ServiceError('MFA_STATE_CONFLICT', { reason: 'no access code needed' });
        }
        return this.codes.issue(tx, subject, { actor: act.actor });
      }),
    );
  }
}
