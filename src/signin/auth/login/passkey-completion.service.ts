import { Injectable } from '@nestjs/common';
import { SecurityEvents } from '../../../identity/events/security-events.service.js';
import { amrOfPasskey } from '../../../identity/second-factor/passkey/passkey.js';
import { type PasskeyAcceptance, PasskeyUse } from '../../../identity/second-factor/passkey/passkey-use.service.js';
import type { SessionKind } from '../../../identity/session/session.js';
import { type OpenedSession, Sessions } from '../../../identity/session/sessions.service.js';
import { type Tx, UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import type { CookieValues } from '../../../platform/web/cookies.js';
import { SESSION } from '../cookies.js';
import { NewDevices } from '../new-devices.service.js';
import { firstFactorEvent } from './first-factor.js';
import type { AuthenticatedPasskey } from './passkey-authenticator.service.js';

/** Stores what follows from a valid assertion of a sign-in by passkey alone. */
@Injectable()
export class PasskeyCompletion {
  constructor(
    private readonly work: UnitOfWork,
    private readonly use: PasskeyUse,
    private readonly sessions: Sessions,
    private readonly newDevices: NewDevices,
    private readonly events: SecurityEvents,
  ) {}

  /**
   * Uses a passkey that proves two factors and opens the session, in one transaction. In a browser, the session replaces the one
   * that its cookie names.
   */
  async complete(
    authenticated: AuthenticatedPasskey,
    kind: SessionKind,
    cookies: CookieValues,
  ): Promise<OpenedSession | Exclude<PasskeyAcceptance, 'accepted'>> {
    const { account, passkey } = authenticated;
    const { id: subject } = account;
    try {
      return await this.work.run(async (tx) => {
        const acceptance = await this.use.acceptAlone(tx, account, passkey, passkey.provedAt);
        if (acceptance !== 'accepted') throw new NotAccepted(acceptance);
        // The new device first: its history must not have this login.
        await this.newDevices.record(tx, subject, cookies);
        const opened = await this.open(tx, authenticated, kind);
        await this.sessions.endReplaced(tx, kind === 'portal' ? cookies[SESSION] : undefined, opened.session);
        return opened;
      });
    } catch (error) {
      if (error instanceof NotAccepted) return error.acceptance;
      throw error;
    }
  }

  /** Uses a passkey that proves one factor; false if its counter fell and that is rejected. */
  recordUse({ passkey }: AuthenticatedPasskey): Promise<boolean> {
    return this.work.run((tx) => this.use.record(tx, passkey.subject, passkey, passkey.provedAt));
  }

  private async open(
    tx: Tx,
    { account: { id: subject }, passkey: { passkey, provedAt } }: AuthenticatedPasskey,
    kind: SessionKind,
  ): Promise<OpenedSession> {
    const amr = [amrOfPasskey(passkey), 'mfa'] as const;
    const facts = { subject, kind, amr, authTime: provedAt, mfaAt: provedAt, mfaMethod: 'passkey' } as const;
    const [opened] = await Promise.all([
      this.sessions.open(tx, facts),
      this.events.record(tx, firstFactorEvent(subject, amr)),
    ]);
    return opened;
  }
}

/** Rolls back the transaction of a passkey that is not accepted; caught in this file. */
class NotAccepted extends Error {
  constructor(readonly acceptance: Exclude<PasskeyAcceptance, 'accepted'>) {
    super();
  }
}
