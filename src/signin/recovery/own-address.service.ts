import { Injectable } from '@nestjs/common';
import { isEmail } from '../../identity/account/account.js';
import type { Language } from '../../identity/account/language.js';
import { ServiceError } from '../../kernel/errors/service-error.js';
import type { FullPrincipal } from '../../kernel/principal/principal.js';
import { ChangeAuthorization } from '../auth/own/change-authorization.service.js';
import { Reauthentication } from '../auth/own/reauthentication.service.js';
import { AddressConfirmations } from './address-confirmations.service.js';

export interface AddressRequest {
  readonly email: string;
  /** The password of a caller without a second factor whose login is not fresh. */
  readonly password?: string | undefined;
  /** The language of the mail for a user who has chosen none. */
  readonly language: Language;
}

/** The own mail address: another one, or the verification of the present one. */
@Injectable()
export class OwnAddress {
  constructor(
    private readonly reauthentication: Reauthentication,
    private readonly authorization: ChangeAuthorization,
    private readonly confirmations: AddressConfirmations,
  ) {}

  /**
   * Mails a link to the address, which is set and verified once its user confirms it there. A link to the present address changes
   * nothing but its verification, so it needs no proof.
   * @throws ServiceError `NOT_FOUND` without a mail relay; `VALIDATION_FAILED`; `CONFLICT` for another address of staff; for another
   * address `STEP_UP_REQUIRED` and `INVALID_CREDENTIALS` as `ChangeAuthorization.require` does; `RATE_LIMITED`
   */
  async request(caller: FullPrincipal, { email, password, language }: AddressRequest): Promise<void> {
    if (!this.confirmations.isEnabled) throw new ServiceError('NOT_FOUND', { reason: 'no mail relay' });
    if (!isEmail(email)) {
      throw new ServiceError('VALIDATION_FAILED', { errors: [{ field: 'email', code: 'malformed' }] });
    }
    const account = await this.reauthentication.accountOf(caller);
    if (email !== account.email) {
      if (account.kind === 'staff') throw new ServiceError('CONFLICT', { reason: 'address of staff' });
      await this.authorization.require(caller, account, password);
    }
    await this.confirmations.request(account, email, language);
  }

  /** As `request`, for the present address. @throws ServiceError `NOT_FOUND` also for an account without one; `RATE_LIMITED` */
  async verify(caller: FullPrincipal, language: Language): Promise<void> {
    const { email } = await this.reauthentication.accountOf(caller);
    if (email === undefined) throw new ServiceError('NOT_FOUND', { reason: 'account' });
    await this.request(caller, { email, language });
  }
}
