import { Injectable } from '@nestjs/common';
import { AccountChanges } from '../../identity/account/account-changes.service.js';
import { PasswordChanges } from '../../identity/account/password/passwords.service.js';
import type { Tx } from '../../platform/persistence/unit-of-work.js';
import { AccessTermination } from './access-termination.service.js';

/** Closes an account that is in the hands of another person. */
@Injectable()
export class AccountProtection {
  constructor(
    private readonly accounts: AccountChanges,
    private readonly passwords: PasswordChanges,
    private readonly access: AccessTermination,
  ) {}

  /**
   * Removes the password, so that nobody signs in before a reset, ends all access, and removes a mail address that is newer than
   * `emailVersion`; true if there was one.
   */
  async close(tx: Tx, subject: string, emailVersion: number): Promise<boolean> {
    await this.passwords.remove(tx, subject);
    await this.access.endAllAndAccessCode(tx, subject);
    return this.accounts.removeNewerAddress(tx, subject, emailVersion);
  }
}
