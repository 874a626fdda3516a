import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/persistence/unit-of-work.js';
import { TrustedDeviceList } from '../../identity/second-factor/trusted-device/trusted-device-list.service.js';
import { AccessCodes } from '../../identity/second-factor/access-code/access-codes.service.js';
import { KnownClients } from '../../identity/session/known-clients.service.js';
import { Sessions } from '../../identity/session/sessions.service.js';
import { AccountLinks } from './account-links.service.js';

/** Ends what an account's credentials have opened. */
@Injectable()
export class AccessTermination {
  constructor(
    private readonly sessions: Sessions,
    private readonly devices: TrustedDeviceList,
    private readonly clients: KnownClients,
    private readonly links: AccountLinks,
    private readonly accessCodes: AccessCodes,
  ) {}

  /** Like `endAll`, and ends all mailed links and the access code: none is valid again when a disabled account is enabled. */
  async endAllAndLinks(tx: Tx, subject: string): Promise<void> {
    await this.endAllAndAccessCode(tx, subject);
    await this.links.endAll(tx, subject);
  }

  /** Like `endAll`, and ends the temporary access code, which another person may have got. */
  async endAllAndAccessCode(tx: Tx, subject: string): Promise<void> {
    await this.endAll(tx, subject);
    await this.accessCodes.forget(tx, subject);
  }

  /** Ends all sessions, half-authenticated ones included, and the trust in all devices. */
  async endAll(tx: Tx, subject: string): Promise<void> {
    await this.sessions.endAll(tx, subject);
    await this.devices.revokeAll(tx, subject);
    await this.clients.forget(tx, subject);
  }
}
