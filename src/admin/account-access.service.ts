import { Injectable } from '@nestjs/common';
import type { Tx } from '../persistence/unit-of-work.js';
import { Enrolment } from '../second-factor/enrolment/enrolment.service.js';
import { TrustedDeviceList } from '../second-factor/trusted-device/trusted-device-list.service.js';
import { AccountLinks } from '../recovery/account-links.service.js';
import { Sessions } from '../session/sessions.service.js';

/** Ends the access to an account that does not need its password, and resets its second factor. */
@Injectable()
export class AccountAccess {
  constructor(
    private readonly sessions: Sessions,
    private readonly devices: TrustedDeviceList,
    private readonly enrolment: Enrolment,
    private readonly links: AccountLinks,
  ) {}

  /** Ends all sessions and the trust in all devices. */
  async endAll(tx: Tx, subject: string): Promise<void> {
    await this.sessions.endAll(tx, subject);
    await this.devices.revokeAll(tx, subject);
  }

  /** Removes all authenticators and trusted devices and ends all sessions. @throws ServiceError `NOT_FOUND` */
  resetMfa(subject: string, actor: string): Promise<void> {
    return this.enrolment.reset(subject, actor, async (tx) => {
      await this.sessions.endAll(tx, subject);
    });
  }

  /** Removes the authenticators and the mailed links of a deleted account. */
  async forget(tx: Tx, subject: string): Promise<void> {
    await this.enrolment.forget(tx, subject);
    await this.links.endAll(tx, subject);
  }
}
