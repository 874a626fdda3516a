import { Injectable } from '@nestjs/common';
import { hasSecondFactor } from '../../../identity/account/account.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { type Principal, requesterOf } from '../../../kernel/principal/principal.js';
import { MAX_TOTPS } from '../../../identity/second-factor/attempts/attempt.js';
import { Enrolment } from '../../../identity/second-factor/enrolment/enrolment.service.js';
import {
  PendingSecrets,
  type ShownPendingSecret,
} from '../../../identity/second-factor/enrolment/pending-secrets.service.js';
import { SecondFactorSetup, type Setup } from '../../../identity/second-factor/enrolment/setup.service.js';
import type { SetupRequest } from '../../../identity/second-factor/factor-state.js';
import { EnrolmentAuthorization, type EnrolmentProofs } from './enrolment-authorization.service.js';
import { Reauthentication } from './reauthentication.service.js';
import { attemptSubjectOf } from '../../../identity/second-factor/attempts/attempt.js';

/** A secret that was shown and is not confirmed yet. */
export interface PendingSecret {
  /** Epoch seconds. */
  readonly until: number;
  /** True if this login asked for the secret; no other login can confirm it. */
  readonly isOwn: boolean;
}

/** What the owner wants of a new authenticator app. */
export interface SetupOptions {
  /** Keeps the active apps. */
  readonly adds?: boolean | undefined;
  readonly name?: string | undefined;
}

/** Setup of the own second factor, up to its confirmation (http-api section 3). */
@Injectable()
export class OwnEnrolment {
  constructor(
    private readonly reauthentication: Reauthentication,
    private readonly authorization: EnrolmentAuthorization,
    private readonly secondFactorSetup: SecondFactorSetup,
    private readonly pendingSecrets: PendingSecrets,
    private readonly enrolment: Enrolment,
  ) {}

  /**
   * With active authenticator apps, the new one replaces them, or with `adds` it is a further one.
   * @throws ServiceError `STEP_UP_REQUIRED` for a login or a proof that is not enough, `INVALID_CREDENTIALS` for a wrong `password`,
   * `MFA_STATE_CONFLICT` if the account has as many apps as it may, and as `EnrolmentAuthorization.require` does
   */
  async setup(caller: Principal, proofs: EnrolmentProofs, options: SetupOptions = {}): Promise<Setup> {
    return this.secondFactorSetup.begin(await this.authorize(caller, proofs, options));
  }

  /** Like `setup`; if the caller already has a pending secret for the same purpose, returns it with new backup codes. */
  async setupOrResume(caller: Principal, options?: SetupOptions): Promise<Setup> {
    const request = await this.authorize(caller, {}, options);
    const resumed = await this.secondFactorSetup.resume(request);
    if (resumed) return resumed;
    try {
      return await this.secondFactorSetup.begin({ ...request, keepsOwn: true });
    } catch (error) {
      // The form was sent twice, and the other request was faster.
      const pendingSetup = await this.secondFactorSetup.resume(request);
      if (pendingSetup) return pendingSetup;
      throw error;
    }
  }

  /** True if the caller must use an access code first, as `useAccessCode` does. */
  lacksAccessCode(caller: Principal): Promise<boolean> {
    return this.authorization.lacksAccessCode(caller);
  }

  /** Uses the access code for the login of the caller. @throws ServiceError as `EnrolmentAuthorization.require` does */
  async useAccessCode(caller: Principal, accessCode: string): Promise<void> {
    // Either kind of authenticator may follow: the rules for a passkey hold for both.
    await this.authorization.require(caller, 'passkey', { accessCode });
  }

  /** Returns the caller's pending secret again; undefined if there is none. @throws ServiceError as `setup` does */
  async shown(caller: Principal): Promise<ShownPendingSecret | undefined> {
    return this.pendingSecrets.shown(await this.authorize(caller));
  }

  /** Returns the pending secret of the account; undefined if there is none. */
  async pending(caller: Principal): Promise<PendingSecret | undefined> {
    const { pending } = await this.enrolment.state(caller.subject);
    return pending && { until: pending.until, isOwn: pending.requestedBy === requesterOf(caller) };
  }

  async qr(caller: Principal, form: 'svg' | 'png'): Promise<string | Buffer> {
    if (caller.kind === 'half') {
      this.authorization.requireAllowed(caller, await this.reauthentication.accountOf(caller), 'totp');
    }
    return this.pendingSecrets.qr(form, caller.subject, requesterOf(caller));
  }

  private async authorize(
    caller: Principal,
    proofs: EnrolmentProofs = {},
    { adds = false, name }: SetupOptions = {},
  ): Promise<SetupRequest> {
    const account = await this.authorization.require(caller, 'totp', proofs);
    const hasFactor = hasSecondFactor(account);
    const { securityStamp: ofStamp } = account;
    const change = !hasFactor ? 'first' : adds || account.totpCount === 0 ? 'add' : 'replace';
    if (change === 'add' && account.totpCount >= MAX_TOTPS) {
      throw new ServiceError('MFA_STATE_CONFLICT', { reason: 'too many authenticators' });
    }
    return {
      ...attemptSubjectOf(caller),
      requestedBy: requesterOf(caller),
      change,
      ofStamp,
      ...withoutUndefined({ name }),
    };
  }
}
