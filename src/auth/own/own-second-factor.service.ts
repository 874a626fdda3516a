import { Injectable } from '@nestjs/common';
import { ServiceError } from '../../errors/service-error.js';
import { type FullPrincipal, type Principal, requesterOf } from '../../principal/principal.js';
import { Enrolment } from '../../second-factor/enrolment/enrolment.service.js';
import type { EnrolmentState } from '../../second-factor/second-factor.js';
import { type OpenedSession, Sessions } from '../../session/sessions.service.js';
import { Reauthentication } from './reauthentication.service.js';
import { attemptSubjectOf, SecondStep } from '../login/second-step.service.js';

/** The session that continues with the confirmed second factor. */
export interface ConfirmedEnrolment {
  readonly opened: OpenedSession;
  readonly roles: readonly string[];
}

/** The second factor of an account, and what policy demands of it. */
export interface OwnFactorState {
  readonly factors: EnrolmentState;
  readonly isDemanded: boolean;
  /** When policy begins to demand one, in epoch seconds; undefined if it already does, or never will. */
  readonly demandedFrom: number | undefined;
}

/** The own second factor: its state, and each change that takes effect, with the sessions that end by it (http-api section 3). */
@Injectable()
export class OwnSecondFactor {
  constructor(
    private readonly reauthentication: Reauthentication,
    private readonly enrolment: Enrolment,
    private readonly secondStep: SecondStep,
    private readonly sessions: Sessions,
  ) {}

  async state(caller: FullPrincipal): Promise<OwnFactorState> {
    const factors = await this.enrolment.state(caller.subject);
    const account = await this.reauthentication.accountOf(caller);
    return {
      factors,
      isDemanded: this.reauthentication.demandsFactor(account),
      demandedFrom: this.reauthentication.factorDemandedFrom(account),
    };
  }

  /** Activates the secret and completes or steps up the login that asked for it, in one transaction. */
  async confirm(caller: Principal, code: string): Promise<ConfirmedEnrolment> {
    const account = await this.reauthentication.accountOf(caller);
    if (caller.kind === 'half') this.reauthentication.requireEnrolmentAllowed(caller, account);
    const attempt = { ...attemptSubjectOf(caller), askedBy: requesterOf(caller), code };
    return this.enrolment.confirm(attempt, async (tx, proof) => {
      const opened = await this.secondStep.completeSecondStep(tx, caller, proof);
      if (proof.hasReplaced) await this.sessions.endAll(tx, caller.subject, opened.session.id);
      return { opened, roles: account.roles };
    });
  }

  async disable(caller: FullPrincipal, code: string): Promise<void> {
    const { subject, sid } = caller;
    const account = await this.reauthentication.accountOf(caller);
    if (account.totpId === undefined) throw new ServiceError('MFA_STATE_CONFLICT', { reason: 'no secret is active' });
    if (this.reauthentication.demandsFactor(account)) {
      throw new ServiceError('MFA_STATE_CONFLICT', { reason: 'policy demands it' });
    }
    this.reauthentication.requireFreshOtp(caller);
    await this.enrolment.disable({ subject, code }, async (tx) => {
      await this.sessions.endAll(tx, subject, sid);
    });
  }

  reissueBackupCodes(caller: FullPrincipal): Promise<readonly string[]> {
    this.reauthentication.requireFreshOtp(caller);
    return this.enrolment.reissue(caller.subject);
  }
}
