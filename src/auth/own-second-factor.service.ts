import { Injectable } from '@nestjs/common';
import type { Account } from '../account/account.js';
import { Accounts } from '../account/accounts.service.js';
import { Clock } from '../clock/clock.js';
import { ServiceError } from '../errors/service-error.js';
import type { SetupRequest } from '../second-factor/enrolment/authenticators.service.js';
import { Enrolment, type Setup, type ShownSecret } from '../second-factor/enrolment/enrolment.service.js';
import type { EnrolmentState } from '../second-factor/enrolment/enrolment-state.js';
import { MfaProperties } from '../second-factor/mfa.properties.js';
import { isDemanded } from '../second-factor/policy.js';
import {
  requesterOf,
  type FullPrincipal,
  type HalfPrincipal,
  hasFreshOtp,
  type Principal,
} from '../principal/principal.js';
import { type OpenedSession, Sessions } from '../session/sessions.service.js';
import { StepUpRequired } from '../principal/amr.js';
import { PasswordVerifier } from './password-verifier.service.js';
import { attemptSubjectOf, SecondStep } from './second-step.service.js';

/** The session that continues with the confirmed second factor. */
export interface ConfirmedEnrolment {
  readonly opened: OpenedSession;
  readonly roles: readonly string[];
}

/** A secret that was shown and is not confirmed yet. */
export interface PendingSecret {
  /** Epoch seconds. */
  readonly until: number;
  /** True if this login asked for the secret; no other login can confirm it. */
  readonly isOwn: boolean;
}

/** Self-service for the second factor: decides who may change it, and ends what must end with it (http-api section 3). */
@Injectable()
export class OwnSecondFactor {
  constructor(
    private readonly accounts: Accounts,
    private readonly password: PasswordVerifier,
    private readonly enrolment: Enrolment,
    private readonly secondStep: SecondStep,
    private readonly sessions: Sessions,
    private readonly policy: MfaProperties,
    private readonly clock: Clock,
  ) {}

  /** @throws ServiceError `STEP_UP_REQUIRED` for a login that is too old, `INVALID_CREDENTIALS` for a wrong `password` */
  async setup(caller: Principal, password: string | undefined): Promise<Setup> {
    return this.enrolment.setup(await this.authorizeSetup(caller, password));
  }

  /** Like `setup`; if the caller already has a pending secret, returns that secret with new backup codes. */
  async setupOrResume(caller: Principal): Promise<Setup> {
    const claim = await this.authorizeSetup(caller, undefined);
    const again = await this.enrolment.shownWithNewCodes(claim);
    if (again) return again;
    try {
      return await this.enrolment.setup({ ...claim, keepsOwn: true });
    } catch (error) {
      // The form was sent twice, and the other request was faster.
      const pendingSetup = await this.enrolment.shownWithNewCodes(claim);
      if (pendingSetup) return pendingSetup;
      throw error;
    }
  }

  /** Returns the caller's pending secret again; undefined if there is none. @throws ServiceError as `setup` does */
  async shown(caller: Principal): Promise<ShownSecret | undefined> {
    return this.enrolment.shown(await this.authorizeSetup(caller, undefined));
  }

  private async authorizeSetup(caller: Principal, password: string | undefined): Promise<SetupRequest> {
    const account = await this.accountOf(caller.subject);
    const { totpId: replaces } = account;
    if (caller.kind === 'half') {
      this.requireEnrolmentAllowed(caller, account);
      // A password was checked minutes ago; an assertion may rest on a session that began hours ago.
      if (caller.idp !== undefined) this.requireFreshTime(caller.authTime);
    } else if (replaces !== undefined) this.requireFreshOtp(caller);
    else await this.requireFreshLogin(caller, password);
    return { ...attemptSubjectOf(caller), askedBy: requesterOf(caller), ...(replaces !== undefined && { replaces }) };
  }

  async state({ subject }: FullPrincipal): Promise<{ readonly factors: EnrolmentState; readonly isDemanded: boolean }> {
    const factors = await this.enrolment.state(subject);
    return { factors, isDemanded: isDemanded(await this.accountOf(subject), this.policy) };
  }

  /**
   * True if the caller proved the second factor recently enough for functions that need a fresh proof, and at most
   * `maxAge` seconds ago if that is given.
   */
  hasFreshOtp(caller: Principal, maxAge = Infinity): boolean {
    const limit = Math.min(maxAge, this.policy.freshAuth.seconds);
    return caller.kind === 'full' && hasFreshOtp(caller, this.clock.seconds(), limit);
  }

  /** Returns the pending secret of the account; undefined if there is none. */
  async pending(caller: Principal): Promise<PendingSecret | undefined> {
    const { pending } = await this.enrolment.state(caller.subject);
    return pending && { until: pending.until, isOwn: pending.askedBy === requesterOf(caller) };
  }

  async qr(caller: Principal, form: 'svg' | 'png'): Promise<string | Buffer> {
    if (caller.kind === 'half') this.requireEnrolmentAllowed(caller, await this.accountOf(caller.subject));
    return this.enrolment.qr(form, caller.subject, requesterOf(caller));
  }

  /** Activates the secret and completes or steps up the login that asked for it, in one transaction. */
  async confirm(caller: Principal, code: string): Promise<ConfirmedEnrolment> {
    const account = await this.accountOf(caller.subject);
    if (caller.kind === 'half') this.requireEnrolmentAllowed(caller, account);
    const claim = { ...attemptSubjectOf(caller), askedBy: requesterOf(caller), code };
    return this.enrolment.confirm(claim, async (tx, { hasReplaced }) => {
      const opened = await this.secondStep.completeSecondStep(tx, caller, 'totp');
      if (hasReplaced) await this.sessions.endAll(tx, caller.subject, opened.session.id);
      return { opened, roles: account.roles };
    });
  }

  async disable(caller: FullPrincipal, code: string): Promise<void> {
    const account = await this.accountOf(caller.subject);
    if (account.totpId === undefined) throw new ServiceError('MFA_STATE_CONFLICT', { reason: 'no secret is active' });
    if (isDemanded(account, this.policy)) throw new ServiceError('MFA_STATE_CONFLICT', { reason: 'policy demands it' });
    this.requireFreshOtp(caller);
    await this.enrolment.disable({ subject: caller.subject, code }, async (tx) => {
      await this.sessions.endAll(tx, caller.subject, caller.sid);
    });
  }

  reissueBackupCodes(caller: FullPrincipal): Promise<readonly string[]> {
    this.requireFreshOtp(caller);
    return this.enrolment.reissue(caller.subject);
  }

  /**
   * Half-authenticated callers may enrol only if policy demands a factor that the account lacks, or if the identity
   * provider did not prove one. A caller with an outdated security stamp is rejected later, after the lock is checked.
   */
  private requireEnrolmentAllowed(caller: HalfPrincipal, account: Account): void {
    if (account.securityStamp !== caller.securityStamp) return;
    const isDue = caller.idp !== undefined || isDemanded(account, this.policy);
    if (account.totpId === undefined && isDue) return;
    throw new ServiceError('MFA_REQUIRED', { reason: 'not to be enrolled' });
  }

  private requireFreshOtp(caller: FullPrincipal): void {
    const maxAge = this.policy.freshAuth.seconds;
    if (hasFreshOtp(caller, this.clock.seconds(), maxAge)) return;
    throw new StepUpRequired({ method: 'otp', maxAge });
  }

  /** A stolen access token must not be enough to enrol the thief's authenticator. */
  private async requireFreshLogin(caller: FullPrincipal, password: string | undefined): Promise<void> {
    if (password === undefined) this.requireFreshTime(caller.authTime);
    else await this.password.verifySubject(caller.subject, password, 'pw');
  }

  private requireFreshTime(authTime: number | undefined): void {
    const maxAge = this.policy.freshAuth.seconds;
    if (authTime !== undefined && this.clock.seconds() - authTime <= maxAge) return;
    throw new StepUpRequired({ method: 'pwd', maxAge });
  }

  private async accountOf(subject: string): Promise<Account> {
    const account = await this.accounts.find(subject);
    if (!account) throw new ServiceError('INVALID_TOKEN', { reason: 'account gone' });
    return account;
  }
}
