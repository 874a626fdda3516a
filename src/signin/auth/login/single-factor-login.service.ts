import { Injectable } from '@nestjs/common';
import type { Account } from '../../../identity/account/account.js';
import { Accounts } from '../../../identity/account/accounts.service.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { SecurityEvents } from '../../../identity/events/security-events.service.js';
import { type Tx, UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import { TrustedDevices } from '../../../identity/second-factor/trusted-device/trusted-devices.service.js';
import type { SessionKind } from '../../../identity/session/session.js';
import { type OpenedSession, Sessions } from '../../../identity/session/sessions.service.js';
import { type CompletedLogin, firstFactorEvent, type FirstFactorResult } from './first-factor.js';

/** Completes a login that needs no code: the account has no second factor, or the browser is trusted. */
@Injectable()
export class SingleFactorLogin {
  constructor(
    private readonly work: UnitOfWork,
    private readonly accounts: Accounts,
    private readonly trustedDevices: TrustedDevices,
    private readonly sessions: Sessions,
    private readonly events: SecurityEvents,
  ) {}

  /**
   * Undefined if the second step is due. In a browser, the new session replaces the one with the cookie `former`. `before` runs
   * in the same transaction, before the event of the login is stored.
   */
  async complete(
    { account, amr, next, authTime, trustedDevice }: FirstFactorResult,
    kind: SessionKind,
    { former, before }: { readonly former?: string; readonly before: (tx: Tx) => Promise<void> },
  ): Promise<CompletedLogin | undefined> {
    if (next !== 'none' && trustedDevice === undefined) return undefined;
    const { id: subject } = account;
    const replace = async (tx: Tx): Promise<OpenedSession> => {
      const [opened] = await Promise.all([
        this.sessions.open(tx, { subject, kind, amr, authTime }),
        this.events.record(tx, firstFactorEvent(subject, amr)),
      ]);
      await this.sessions.endReplaced(tx, former, opened.session);
      return opened;
    };
    const open = async (tx: Tx): Promise<OpenedSession> => {
      const [, opened] = await Promise.all([before(tx), replace(tx)]);
      return opened;
    };
    return this.work.run(async (tx) => {
      // The row of the account first. What is sent together with it is rolled back if the account has changed.
      const unchanged = (): Promise<void> => this.requireUnchanged(tx, account, authTime);
      if (trustedDevice === undefined) {
        const [, opened] = await Promise.all([unchanged(), open(tx)]);
        return { opened };
      }
      const [, successor] = await Promise.all([unchanged(), this.trustedDevices.recognise(tx, subject, trustedDevice)]);
      if (next !== 'none' && !successor) return undefined;
      return { opened: await open(tx), ...withoutUndefined({ trustedDevice: successor }) };
    });
  }

  /**
   * Ends a login whose account has changed since the password was verified: what ended all sessions of the account ends
   * this login, too, and so does the first authenticator that was added, or the last one that was removed.
   */
  private async requireUnchanged(tx: Tx, account: Account, now: number): Promise<void> {
    if (await this.accounts.signIn(tx, account, now)) return;
    throw new ServiceError('INVALID_CREDENTIALS', { reason: 'account changed' });
  }
}
