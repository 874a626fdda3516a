import { Injectable } from '@nestjs/common';
import { PasswordChanges, Passwords, type ReadyPassword } from '../../identity/account/password/passwords.service.js';
import type { Tx } from '../../platform/persistence/unit-of-work.js';
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
  ) {}

  /**
   * Replaces a forgotten password and ends all sessions, trusted devices and logins in progress. The second factor, its
   * failures and its lock stay (authentication.md 2.5).
   * @throws ServiceError `LINK_INVALID`; `VALIDATION_FAILED` for a weak password, which leaves the link valid; `UNAVAILABLE`
   */
  reset(token: string, password: string): Promise<void> {
    return this.set('password-reset', token, password, (tx, subject, ready) =>
      this.changes.resetByLink(tx, subject, ready),
    );
  }

  /** Sets the first password of an invited account; the user then signs in with it. @throws as `reset` */
  acceptInvitation(token: string, password: string): Promise<void> {
    return this.set('invitation', token, password, (tx, subject, ready) =>
      this.changes.acceptInvitation(tx, subject, ready),
    );
  }

  /** Hashes only for the holder of a valid link, so that strangers cannot keep the workers busy. */
  private async set(
    kind: 'password-reset' | 'invitation',
    token: string,
    password: string,
    store: (tx: Tx, subject: string, ready: ReadyPassword) => Promise<void>,
  ): Promise<void> {
    const { account } = await this.links.require(kind, token);
    const ready = await this.passwords.ready(password, account, 'new');
    await this.links.use(kind, token, async (tx, { account: { id: subject } }) => {
      await store(tx, subject, ready);
      await this.access.endAll(tx, subject);
    });
  }
}
