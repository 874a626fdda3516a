import { Injectable } from '@nestjs/common';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';
import { AccessCodes } from '../access-code/access-codes.service.js';
import { RelyingParty } from '../passkey/relying-party.service.js';
import type { AuthenticatorType } from '../factor-state.js';
import { AuthenticatorListStore } from './authenticator-list.store.js';
import { EnrolmentStore } from './enrolment.store.js';
import { ObsoleteAuthenticators } from './obsolete-authenticators.service.js';

/** Removes authenticators: the row of the account first, by a condition that decides, and then what it no longer names. */
@Injectable()
export class AuthenticatorRemoval {
  constructor(
    private readonly store: EnrolmentStore,
    private readonly list: AuthenticatorListStore,
    private readonly obsolete: ObsoleteAuthenticators,
    private readonly relyingParty: RelyingParty,
    private readonly accessCodes: AccessCodes,
  ) {}

  /**
   * Removes one of several authenticators; the last one goes with the whole second factor only.
   * @throws ServiceError `NOT_FOUND`, `MFA_STATE_CONFLICT` for the last one, also for the last app while passkeys cannot be
   * used, and with `keepsPasskey` for the last passkey
   */
  async removeOne(tx: Tx, subject: string, id: string, keepsPasskey: boolean): Promise<AuthenticatorType> {
    const type = await this.list.typeOf(tx, subject, id);
    if (!type) throw new ServiceError('NOT_FOUND');
    const keepsOne = type === 'passkey' ? keepsPasskey : !this.relyingParty.isAvailable;
    if (!(await this.store.removeOne(tx, subject, type, keepsOne))) {
      const isGone = (await this.list.typeOf(tx, subject, id)) === undefined;
      throw isGone
        ? new ServiceError('NOT_FOUND')
        : new ServiceError('MFA_STATE_CONFLICT', { reason: 'last authenticator' });
    }
    // Another request may have removed it in the meantime; this one is then rolled back.
    if (!(await this.list.delete(tx, subject, type, id))) throw new ServiceError('NOT_FOUND');
    await this.obsolete.cleanUp(tx, subject);
    return type;
  }

  /** Deletes everything of an account whose row is gone. */
  async forget(tx: Tx, subject: string): Promise<void> {
    await this.obsolete.cleanUp(tx, subject);
    await this.accessCodes.forget(tx, subject);
  }

  /** Removes all authenticators; false if none is active. */
  async remove(tx: Tx, subject: string): Promise<boolean> {
    const isRemoved = await this.store.disable(tx, subject);
    if (isRemoved) await this.obsolete.cleanUp(tx, subject);
    return isRemoved;
  }

  /** Removes all authenticators and demands a new enrolment; false if the account does not exist. */
  async reset(tx: Tx, subject: string): Promise<boolean> {
    const isReset = await this.store.reset(tx, subject);
    if (isReset) await this.forget(tx, subject);
    return isReset;
  }
}
