import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/persistence/unit-of-work.js';
import { TrustedDeviceList } from '../../identity/second-factor/trusted-device/trusted-device-list.service.js';
import { PasswordChanges } from '../../identity/account/password/passwords.service.js';
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
    private readonly passwords: PasswordChanges,
    private readonly links: AccountLinks,
  ) {}

  /** Like `endAll`, and removes the password, so that nobody signs in before a reset. */
  async endAllAndPassword(tx: Tx, subject: string): Promise<void> {
    await this.passwords.remove(tx, subject);
    await this.endAll(tx, subject);
  }

  /** Like `endAll`, and ends all mailed links, which are not valid again when a disabled account is enabled. */
  async endAllAndLinks(tx: Tx, subject: string): Promise<void> {
    await this.endAll(tx, subject);
    await this.links.endAll(tx, subject);
  }

  /** Ends all sessions, half-authenticated ones included, and the trust in all devices. */
  async endAll(tx: Tx, subject: string): Promise<void> {
    await this.sessions.endAll(tx, subject);
    await this.devices.revokeAll(tx, subject);
    await this.clients.forget(tx, subject);
  }
}
