import { Injectable } from '@nestjs/common';
import type { Account } from '../../../identity/account/account.js';
import { PasswordChanges } from '../../../identity/account/password/passwords.service.js';
import {
  type PasswordAttempt,
  PasswordVerification,
  type PasswordVerdict,
  type VerifiedPassword,
} from '../../../identity/account/password/password-verification.service.js';
import { SecurityEvents } from '../../../identity/events/security-events.service.js';
import { MfaPolicy } from '../../../identity/second-factor/mfa-policy.service.js';
import type { NextStep } from '../../../identity/second-factor/second-factor.js';
import { PWD } from '../../../kernel/principal/amr.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { setUser } from '../../../kernel/principal/request-context.js';
import type { Logger } from '../../../observability/logging/logger.js';
import { Loggers } from '../../../observability/logging/loggers.js';
import type { FirstFactorResult } from './first-factor.js';

/** A password with the other values of its request. */
export interface PasswordCredentials {
  readonly id: string;
  readonly pw: string;
  /** Replaces `pw` if that is temporary. */
  readonly newPw?: string | undefined;
}

/** The cookies of a browser that matter to its login. */
export interface LoginCookies {
  /** Of an earlier complete login, so that guessing elsewhere does not delay this one. */
  readonly device: string | undefined;
  /** Secret of a trusted device, which may replace the second step. */
  readonly trustedDevice: string | undefined;
}

/** Texts of the log for the next step. */
const DUE: Readonly<Record<NextStep, string>> = {
  none: 'no second step is due',
  verify: 'the second step is due unless the browser is trusted and policy demands none',
  enrol: 'policy demands a second factor that does not exist yet',
};

/**
 * Verifies passwords for every caller: one error for all reasons, with the exact reason in the security event. It is the first
 * step of every login, and decides which step is due next.
 */
@Injectable()
export class PasswordAuthenticator {
  private readonly log: Logger;

  constructor(
    private readonly verification: PasswordVerification,
    private readonly changes: PasswordChanges,
    private readonly policy: MfaPolicy,
    private readonly events: SecurityEvents,
    loggers: Loggers,
  ) {
    this.log = loggers.get('auth');
  }

  /**
   * Verifies the password of a login and replaces a temporary password by `newPw`.
   * @throws ServiceError `INVALID_CREDENTIALS`, `RATE_LIMITED`, `UNAVAILABLE`; `PASSKEY_REQUIRED` for an account
   * that signs in by passkey only; `PASSWORD_CHANGE_REQUIRED` for a temporary password without `newPw`, `VALIDATION_FAILED` for a `newPw` that is weak, the same, or not asked for
   */
  async authenticate(
    { id, pw, newPw }: PasswordCredentials,
    { device, trustedDevice }: LoginCookies,
  ): Promise<FirstFactorResult> {
    const { account, at: authTime } = await this.verified({ loginId: id, password: pw, device }, newPw);
    const demanded = this.policy.demands(account);
    const due = this.policy.dueStep(account);
    const hasFactor = due.next === 'verify';
    const sentDevice = trustedDevice !== undefined;
    this.log.debug(`Password verified: ${DUE[due.next]}`, { hasFactor, demanded, sentDevice });
    const mayTrust = hasFactor && !demanded;
    return {
      account,
      amr: PWD,
      ...due,
      authTime,
      ...withoutUndefined({ trustedDevice: mayTrust ? trustedDevice : undefined }),
    };
  }

  /** Verifies the password of a signed-in user, sent in `field`. @throws ServiceError as `authenticate` does */
  async verifySubject(subject: string, password: string, field: string): Promise<void> {
    await this.accepted(await this.verification.verifySubject(subject, password, field));
  }

  private async verified(attempt: PasswordAttempt, newPw: string | undefined): Promise<VerifiedPassword> {
    const verdict = await this.verification.verify(attempt);
    if (verdict.kind !== 'rejected') await this.requireAdmitted(verdict.account);
    if (verdict.kind === 'temporary') return this.replaced(verdict, attempt.password, newPw);
    const verified = await this.accepted(verdict);
    if (newPw === undefined) return verified;
    await this.recordFailure('change_unexpected', verified.account.id);
    throw newPasswordError('unexpected');
  }

  /** Says only to who knows the password that it is not enough: a passkey signs in to this account. */
  private async requireAdmitted(account: Account): Promise<void> {
    if (!this.policy.refusesPassword(account)) return;
    setUser(account.id);
    await this.recordFailure('passkey_required', account.id);
    throw new ServiceError('PASSKEY_REQUIRED', { reason: 'passkey_required' });
  }

  private async accepted(verdict: PasswordVerdict): Promise<VerifiedPassword> {
    const subject = verdict.kind === 'rejected' ? verdict.subject : verdict.account.id;
    if (subject !== undefined) setUser(subject);
    if (verdict.kind === 'right') return verdict;
    const reason = verdict.kind === 'rejected' ? verdict.reason : 'change_required';
    await this.recordFailure(reason, subject);
    throw new ServiceError('INVALID_CREDENTIALS', { reason });
  }

  /** A rejected new password discloses that `pw` is right, so it is recorded like every other outcome of the step. */
  private async replaced(
    { account, at, temporary }: Extract<PasswordVerdict, { kind: 'temporary' }>,
    pw: string,
    newPw: string | undefined,
  ): Promise<VerifiedPassword> {
    const { id: subject } = account;
    setUser(subject);
    if (newPw === undefined) {
      await this.recordFailure('change_required', subject);
      throw new ServiceError('PASSWORD_CHANGE_REQUIRED', { reason: 'temporary password' });
    }
    try {
      if (newPw === pw) throw newPasswordError('same_as_temporary');
      return { account: await this.changes.replaceTemporary(account, temporary, newPw), at };
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'VALIDATION_FAILED') {
        await this.recordFailure('change_refused', subject);
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
