import { Injectable } from '@nestjs/common';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { type Principal, requesterOf } from '../../../kernel/principal/principal.js';
import { Enrolment } from '../../../identity/second-factor/enrolment/enrolment.service.js';
import type { Submitted } from '../../../identity/second-factor/second-factor.js';
import type { OpenedSession } from '../../../identity/session/sessions.service.js';
import type { CookieValues } from '../../../platform/web/cookies.js';
import { attemptSubjectOf } from '../../../identity/second-factor/attempts/attempt.js';
import { SecondStepCompletion } from '../login/second-step-completion.service.js';
import { NewDevices } from '../new-devices.service.js';
import { EnrolmentAuthorization } from './enrolment-authorization.service.js';
import { Reauthentication } from './reauthentication.service.js';

/** The session that continues with the confirmed second factor. */
export interface ConfirmedEnrolment {
  readonly opened: OpenedSession;
  readonly roles: readonly string[];
  readonly loginId: string;
  /** Present if the caller asked for new codes. */
  readonly backupCodes?: readonly string[];
}

/** Confirmation of the own new authenticator app, which completes or steps up the login that asked for it. */
@Injectable()
export class EnrolmentConfirmation {
  constructor(
    private readonly reauthentication: Reauthentication,
    private readonly authorization: EnrolmentAuthorization,
    private readonly enrolment: Enrolment,
    private readonly completion: SecondStepCompletion,
    private readonly newDevices: NewDevices,
  ) {}

  /**
   * Activates the secret and completes or steps up the login that asked for it, in one transaction. With `withNewCodes`, that
   * transaction also replaces the backup codes of the setup, for a page that shows codes after the confirmation only.
   * @throws ServiceError as `Enrolment.confirm` does; `STEP_UP_REQUIRED` if policy demands a stronger login for this since the
   * secret was requested
   */
  async confirm(
    caller: Principal,
    submitted: Submitted<'totp'>,
    { cookies, withNewCodes = false }: { readonly cookies: CookieValues; readonly withNewCodes?: boolean },
  ): Promise<ConfirmedEnrolment> {
    const account = await this.authorization.requireStill(caller, 'totp');
    const attempt = { ...attemptSubjectOf(caller), requestedBy: requesterOf(caller) };
    return this.enrolment.confirm(attempt, submitted, async (tx, proof) => {
      if (caller.kind === 'full') {
        this.reauthentication.requireStrength(caller, await this.reauthentication.accountOf(caller, tx));
      }
      if (proof.change === 'first') await this.authorization.spendAccessCode(tx, caller, account);
      // The new device first: its history must not have the completion of this login.
      const [, opened] = await Promise.all([
        caller.kind === 'half' && this.newDevices.record(tx, caller.subject, cookies),
        this.completion.completeConfirmation(tx, caller, proof),
      ]);
      const backupCodes =
        withNewCodes && proof.change !== 'add' ? await this.enrolment.renewCodes(tx, caller.subject) : undefined;
      const { roles, loginId } = account;
      return { opened, roles, loginId, ...withoutUndefined({ backupCodes }) };
    });
  }
}
