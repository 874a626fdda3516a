import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/server';
import { Injectable } from '@nestjs/common';
import { type Account, hasSecondFactor } from '../../../identity/account/account.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { type Principal, requesterOf } from '../../../kernel/principal/principal.js';
import { attemptSubjectOf } from '../../../identity/second-factor/attempts/attempt.js';
import type { AddedPasskey } from '../../../identity/second-factor/enrolment/authenticators.service.js';
import { Enrolment } from '../../../identity/second-factor/enrolment/enrolment.service.js';
import { PasskeySetup } from '../../../identity/second-factor/enrolment/passkey-setup.service.js';
import type { Registration } from '../../../identity/second-factor/passkey/passkey.js';
import { PasskeyRegistrations } from '../../../identity/second-factor/passkey/passkey-registrations.service.js';
import { RelyingParty } from '../../../identity/second-factor/passkey/relying-party.service.js';
import type { SubmittedCode } from '../../../identity/second-factor/second-factor.js';
import { EnrolmentAuthorization, type EnrolmentProofs } from './enrolment-authorization.service.js';

/** A new passkey, as its owner sees it. */
export interface NewOwnPasskey extends AddedPasskey {
  readonly name?: string;
  /** True if it may be synced to other devices. */
  readonly isSynced: boolean;
}

/** Registration of the own passkeys (http-api section 3). */
@Injectable()
export class OwnPasskeys {
  constructor(
    private readonly relyingParty: RelyingParty,
    private readonly authorization: EnrolmentAuthorization,
    private readonly setup: PasskeySetup,
    private readonly registrations: PasskeyRegistrations,
    private readonly enrolment: Enrolment,
  ) {}

  /**
   * Options for a new passkey. A half-authenticated caller whose account has an authenticator app proves it by `code`, which
   * is charged as any attempt.
   * @throws ServiceError `MFA_STATE_CONFLICT`, as `EnrolmentAuthorization.require` and `PasskeySetup.begin` do
   */
  async registrationOptions(
    caller: Principal,
    { code, ...proofs }: EnrolmentProofs & { readonly code?: SubmittedCode | undefined } = {},
  ): Promise<PublicKeyCredentialCreationOptionsJSON> {
    this.relyingParty.requireAvailable();
    const { loginId, ...account } = await this.authorization.require(caller, 'passkey', proofs);
    const purpose = registrationPurpose(account);
    const proves = caller.kind === 'half' && purpose === 'registration';
    if (proves && code === undefined) {
      throw new ServiceError('VALIDATION_FAILED', { errors: [{ field: 'code', code: 'required' }] });
    }
    const asked = { ...attemptSubjectOf(caller), requestedBy: requesterOf(caller), ofStamp: account.securityStamp };
    return this.setup.begin({ caller: asked, loginId, purpose, code: proves ? code : undefined });
  }

  /**
   * Stores the passkey of a registration. It proves no possession of it, so the login stays as it is: a half-authenticated
   * caller completes it by an assertion.
   * @throws ServiceError `STEP_UP_REQUIRED` if policy demands a stronger login for this since the options were issued; as
   * `PasskeyRegistrations.verify` and `Enrolment.addPasskey` do
   */
  async register(caller: Principal, credential: Registration, chosenName?: string): Promise<NewOwnPasskey> {
    this.relyingParty.requireAvailable();
    const account = await this.authorization.requireStill(caller, 'passkey');
    const owner = { ...attemptSubjectOf(caller), ofStamp: account.securityStamp };
    const asked = { ...owner, requestedBy: requesterOf(caller) };
    const passkey = await this.registrations.verify(asked, registrationPurpose(account), credential);
    const name = chosenName ?? passkey.name;
    const place = this.authorization.placeOf(caller, account);
    const added = await this.enrolment.addPasskey(owner, { ...passkey, name }, place, async (tx) => {
      await this.authorization.requireLive(tx, caller);
      if (place === 'first') await this.authorization.spendAccessCode(tx, caller, account);
    });
    return { ...added, isSynced: passkey.isBackupEligible, ...withoutUndefined({ name }) };
  }

  /** True if the registration was completed before, as by a form that is sent again. */
  isRegistered({ subject }: Principal, { id }: Registration): Promise<boolean> {
    return this.setup.isRegistered(subject, id);
  }
}

function registrationPurpose(account: Pick<Account, 'totpCount' | 'passkeyCount'>): 'registration' | 'enrolment' {
  return hasSecondFactor(account) ? 'registration' : 'enrolment';
}
