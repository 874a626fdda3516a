import { Injectable } from '@nestjs/common';
import type { Language } from '../../platform/messages/messages.js';
import type { ReportOutcome } from './account-link.js';
import { LockRecovery } from './lock-recovery.service.js';
import { NotMeReports } from './not-me-reports.service.js';
import { PasswordRecovery } from './password-recovery.service.js';

/** The acts that mailed links permit, for the API and the pages. Each uses its link up. @throws ServiceError `LINK_INVALID` */
@Injectable()
export class MailedLinks {
  constructor(
    private readonly passwords: PasswordRecovery,
    private readonly locks: LockRecovery,
    private readonly reports: NotMeReports,
  ) {}

  /** @throws ServiceError also `VALIDATION_FAILED` for a weak password, which leaves the link valid; `UNAVAILABLE` */
  resetPassword(token: string, password: string): Promise<void> {
    return this.passwords.reset(token, password);
  }

  /** @throws ServiceError as `resetPassword` does */
  acceptInvitation(token: string, password: string): Promise<void> {
    return this.passwords.acceptInvitation(token, password);
  }

  unlock(token: string): Promise<void> {
    return this.locks.unlock(token);
  }

  /** `language` is that of the mail with the link to a new password. */
  reportNotMe(token: string, language: Language): Promise<ReportOutcome> {
    return this.reports.report(token, language);
  }
}
