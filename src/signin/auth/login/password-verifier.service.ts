import { Injectable } from '@nestjs/common';
import type { Account } from '../../../identity/account/account.js';
import {
  PasswordChanges,
  Passwords,
  type ReadyPassword,
} from '../../../identity/account/password/passwords.service.js';
import {
  PasswordVerification,
  type PasswordVerdict,
  type TemporaryPassword,
} from '../../../identity/account/password/password-verification.service.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { SecurityEvents } from '../../../identity/events/security-events.service.js';
import { UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import { setUser } from '../../../kernel/principal/request-context.js';

/** A password with the other values of its request. */
export interface PasswordCredentials {
  readonly id: string;
  readonly pw: string;
  /** Replaces `pw` if that is temporary. */
  readonly newPw?: string | undefined;
  /** Cookie of an earlier complete login, so that guessing elsewhere does not delay this one. */
  readonly device?: string | undefined;
}

/** Verifies passwords for every caller: one error for all reasons, with the exact reason in the security event. */
@Injectable()
export class PasswordVerifier {
  constructor(
    private readonly verification: PasswordVerification,
    private readonly passwords: Passwords,
    private readonly changes: PasswordChanges,
    private readonly events: SecurityEvents,
    private readonly work: UnitOfWork,
  ) {}

  /**
   * Verifies the password of a login and replaces a temporary password by `newPw`.
   * @throws ServiceError `INVALID_CREDENTIALS`, `RATE_LIMITED`, `UNAVAILABLE`; `PASSWORD_CHANGE_REQUIRED` for a temporary
   * password without `newPw`, `VALIDATION_FAILED` for a `newPw` that is weak, the same, or not asked for
   */
  async verifyLogin({ id, pw, newPw, device }: PasswordCredentials): Promise<Account> {
    const verdict = await this.verification.verify({ loginId: id, password: pw, device });
    if (verdict.kind === 'temporary') return this.replaced(verdict.account, verdict.temporary, pw, newPw);
    const account = await this.accepted(verdict);
    if (newPw === undefined) return account;
    await this.recordFailure('change_unexpected', account.id);
    throw newPasswordError('unexpected');
  }

  /** Verifies the password of a signed-in user, sent in `field`; throws the same errors. */
  async verifySubject(subject: string, password: string, field: string): Promise<Account> {
    return this.accepted(await this.verification.verifySubject(subject, password, field));
  }

  private async accepted(verdict: PasswordVerdict): Promise<Account> {
    const subject = verdict.kind === 'refused' ? verdict.subject : verdict.account.id;
    if (subject !== undefined) setUser(subject);
    if (verdict.kind === 'right') return verdict.account;
    const reason = verdict.kind === 'refused' ? verdict.reason : 'change_required';
    await this.recordFailure(reason, subject);
    throw new ServiceError('INVALID_CREDENTIALS', { reason });
  }

  private async replaced(
    account: Account,
    temporary: TemporaryPassword,
    pw: string,
    newPw: string | undefined,
  ): Promise<Account> {
    const { id: subject } = account;
    setUser(subject);
    if (newPw === undefined) {
      await this.recordFailure('change_required', subject);
      throw new ServiceError('PASSWORD_CHANGE_REQUIRED', { reason: 'temporary password' });
    }
    const ready = await this.readyReplacement(account, pw, newPw);
    return this.work.run((tx) => this.changes.replaceTemporary(tx, subject, temporary, ready));
  }

  /** This error discloses that `pw` is right, so it is recorded like every other outcome of the step. */
  private async readyReplacement(account: Account, pw: string, newPw: string): Promise<ReadyPassword> {
    try {
      if (newPw === pw) throw newPasswordError('same_as_temporary');
      return await this.passwords.ready(newPw, account, 'new_pw');
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'VALIDATION_FAILED') {
        await this.recordFailure('change_refused', account.id);
      }
      throw error;
    }
  }

  private async recordFailure(reason: string, subject: string | undefined): Promise<void> {
    const event = { kind: 'LOGIN_PASSWORD_FAILED', result: 'refused', reason } as const;
    await this.events.recordAlone({ ...event, ...withoutUndefined({ subject }) });
  }
}

function newPasswordError(code: string): ServiceError {
  return new ServiceError('VALIDATION_FAILED', { errors: [{ field: 'new_pw', code }] });
}
