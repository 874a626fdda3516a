import { Injectable } from '@nestjs/common';
import { type Account, hasSecondFactor } from '../../../identity/account/account.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';
import type { FullPrincipal, Principal } from '../../../kernel/principal/principal.js';
import { EnrolledAuthenticators } from '../../../identity/second-factor/enrolment/enrolled-authenticators.service.js';
import { Enrolment } from '../../../identity/second-factor/enrolment/enrolment.service.js';
import { MfaPolicy } from '../../../identity/second-factor/mfa-policy.service.js';
import type { SubmittedProof } from '../../../identity/second-factor/second-factor.js';
import type { OwnFactorState } from '../../../identity/second-factor/factor-state.js';
import { type OpenedSession, Sessions } from '../../../identity/session/sessions.service.js';
import { Reauthentication } from './reauthentication.service.js';
import { attemptSubjectOf } from '../../../identity/second-factor/attempts/attempt.js';

/** The own second factor: its state, and each change that takes effect, with the sessions that end by it (http-api section 3). */
@Injectable()
export class OwnSecondFactor {
  constructor(
    private readonly reauthentication: Reauthentication,
    private readonly policy: MfaPolicy,
    private readonly enrolment: Enrolment,
    private readonly authenticators: EnrolledAuthenticators,
    private readonly sessions: Sessions,
  ) {}

  async state(caller: FullPrincipal): Promise<OwnFactorState> {
    const factors = await this.enrolment.state(caller.subject);
    const account = await this.reauthentication.accountOf(caller);
    return {
      factors,
      authenticators: await this.authenticators.of(caller.subject),
      enrolmentMethods: this.policy.enrolmentMethods(account, { forLogin: false }),
      isDemanded: this.policy.demands(account),
      isPasskeyDemanded: this.policy.demandsPasskey(account),
      demandedFrom: this.policy.demandedFrom(account),
      passkeyFrom: this.policy.passkeyFrom(account),
    };
  }

  /** @throws ServiceError `STEP_UP_REQUIRED`, `NOT_FOUND` */
  async rename(caller: FullPrincipal, id: string, name: string): Promise<void> {
    await this.requireFreshMfa(caller);
    await this.authenticators.rename(caller.subject, id, name);
  }

  /**
   * Removes one of several authenticators, for a caller whose last proof of the second factor is recent and strong enough. All
   * other sessions and half-authenticated logins end. Returns the session if its cookie was replaced, which must then be written.
   * @throws ServiceError `STEP_UP_REQUIRED`, `NOT_FOUND`, `MFA_STATE_CONFLICT` for the last one and, while passkeys cannot be
   * used, for the last app, which only `disable` removes by a proof; also for the last passkey where policy demands one
   */
  async remove(caller: FullPrincipal, id: string): Promise<OpenedSession | undefined> {
    const account = await this.requireFreshMfa(caller);
    const { subject } = caller;
    const keepsPasskey = this.policy.demandsPasskey(account);
    return this.authenticators.removeOne(subject, id, { keepsPasskey }, (tx) => this.endOthers(tx, caller));
  }

  /** Seconds until attempts are accepted again; undefined without a lock, Infinity if only an administrator can end it. */
  lockSeconds({ subject }: Principal): Promise<number | undefined> {
    return this.enrolment.lockSeconds(subject);
  }

  /** True if the next attempt locks the account if it fails; only for a caller who has passed the first factor. */
  isLastAttempt({ subject }: Principal): Promise<boolean> {
    return this.enrolment.isLastAttempt(subject);
  }

  /**
   * Removes the second factor by a proof of it, for a caller with a fresh one. With `isFreshProof`, the submitted proof is the
   * fresh one, for pages that ask once. Returns the session if its cookie was replaced, which must then be written.
   * @throws ServiceError `STEP_UP_REQUIRED`; `MFA_STATE_CONFLICT`; as `SecondStep.prove` does
   */
  async disable(
    caller: FullPrincipal,
    submitted: SubmittedProof,
    { isFreshProof = false } = {},
  ): Promise<OpenedSession | undefined> {
    const account = await this.reauthentication.accountOf(caller);
    if (!hasSecondFactor(account)) throw new ServiceError('MFA_STATE_CONFLICT', { reason: 'no secret is active' });
    if (this.policy.demands(account)) {
      throw new ServiceError('MFA_STATE_CONFLICT', { reason: 'policy demands it' });
    }
    if (!isFreshProof) this.reauthentication.requireFreshMfa(caller, account);
    return this.authenticators.disable(attemptSubjectOf(caller), submitted, (tx) => this.endOthers(tx, caller));
  }

  /** @throws ServiceError `STEP_UP_REQUIRED`, `MFA_STATE_CONFLICT` */
  async reissueBackupCodes(caller: FullPrincipal): Promise<readonly string[]> {
    await this.requireFreshMfa(caller);
    return this.enrolment.reissue(caller.subject);
  }

  private async requireFreshMfa(caller: FullPrincipal): Promise<Account> {
    const account = await this.reauthentication.accountOf(caller);
    this.reauthentication.requireFreshMfa(caller, account);
    return account;
  }

  /** Ends all sessions but this one, and renews its cookie. */
  private async endOthers(tx: Tx, { subject, sid, via }: FullPrincipal): Promise<OpenedSession | undefined> {
    await this.sessions.endAll(tx, subject, sid);
    return via === 'session' ? this.sessions.renew(tx, sid) : undefined;
  }
}
