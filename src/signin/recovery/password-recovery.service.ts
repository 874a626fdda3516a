import { Injectable } from '@nestjs/common';
import type { Account } from '../../identity/account/account.js';
import { PasswordChanges, Passwords, type ReadyPassword } from '../../identity/account/password/passwords.service.js';
import type { Tx } from '../../platform/persistence/unit-of-work.js';
import type { IssuedAccessCode } from '../../identity/second-factor/access-code/access-code.js';
import { AccessCodes } from '../../identity/second-factor/access-code/access-codes.service.js';
import { AccessTermination } from './access-termination.service.js';
import { AccountLinks } from './account-links.service.js';

/** Sets passwords by mailed links; nobody is signed in by one. */
@Injectable()
export class PasswordRecovery {
  constructor(
    private readonly links: AccountLinks,
    private readonly passwords: Passwords,
    private readonly changes: PasswordChanges,
    private readonly access: AccessTermination,
    private readonly accessCodes: AccessCodes,
  ) {}

  /**
   * Replaces a forgotten password and ends all sessions, trusted devices and logins in progress. The second factor, its
   * failures and its lock stay (authentication.md 2.5).
   * @throws ServiceError `LINK_INVALID`; `VALIDATION_FAILED` for a weak password, which leaves the link valid; `UNAVAILABLE`
   */
  reset(token: string, password: string): Promise<void> {
    return this.set('password-reset', token, password, (tx, { id: subject }, ready) =>
      this.changes.resetByLink(tx, subject, ready),
    );
  }

  /**
   * Sets the first password of an invited account; the user then signs in with it. Returns a temporary access code if the first
   * authenticator needs one: the link has just identified the user. @throws as `reset`
   */
  acceptInvitation(token: string, password: string): Promise<IssuedAccessCode | undefined> {
    return this.set('invitation', token, password, async (tx, account, ready) => {
      await this.changes.acceptInvitation(tx, account.id, ready);
      return this.accessCodes.issueToInvited(tx, account);
    });
  }

  /** Hashes only for the holder of a valid link, so that strangers cannot keep the workers busy. */
  private async set<T>(
    kind: 'password-reset' | 'invitation',
    token: string,
    password: string,
    store: (tx: Tx, account: Account, ready: ReadyPassword) => Promise<T>,
  ): Promise<T> {
    const { account } = await this.links.require(kind, token);
    const ready = await this.passwords.ready(password, account, 'new');
    return this.links.use(kind, token, async (tx, { account: owner }) => {
      const stored = await store(tx, owner, ready);
      await this.access.endAll(tx, owner.id);
      return stored;
    });
  }
}
