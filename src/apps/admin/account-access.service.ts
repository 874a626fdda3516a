import { Injectable } from '@nestjs/common';
import { SecurityEvents } from '../../identity/events/security-events.service.js';
import { MailQueue } from '../../platform/mail/mail-queue.service.js';
import type { Tx } from '../../platform/persistence/unit-of-work.js';
import { EnrolledAuthenticators } from '../../identity/second-factor/enrolment/enrolled-authenticators.service.js';
import { TrustedDeviceList } from '../../identity/second-factor/trusted-device/trusted-device-list.service.js';
import { AccessTermination } from '../../signin/recovery/access-termination.service.js';
import { AccountLinks } from '../../signin/recovery/account-links.service.js';
import { Sessions } from '../../identity/session/sessions.service.js';

/** Ends the access to an account that does not need its password, and removes its authenticators. */
@Injectable()
export class AccountAccess {
  constructor(
    private readonly sessions: Sessions,
    private readonly devices: TrustedDeviceList,
    private readonly termination: AccessTermination,
    private readonly authenticators: EnrolledAuthenticators,
    private readonly links: AccountLinks,
    private readonly events: SecurityEvents,
    private readonly mails: MailQueue,
  ) {}

  /** Ends all sessions and the trust in all devices. */
  endAll(tx: Tx, subject: string): Promise<void> {
    return this.termination.endAll(tx, subject);
  }

  /** Ends all access of a disabled account, also by its mailed links: they are not valid again when it is enabled. */
  async endAllOfDisabled(tx: Tx, subject: string): Promise<void> {
    await this.endAll(tx, subject);
    await this.links.endAll(tx, subject);
  }

  /** Ends one session; false if the account has no such session. */
  async endSession(tx: Tx, subject: string, sid: string, actor: string): Promise<boolean> {
    const isEnded = await this.sessions.end(tx, sid, subject);
    if (isEnded) await this.events.record(tx, { kind: 'SESSION_REVOKED', subject, actor, reason: 'revoked' });
    return isEnded;
  }

  /** Ends all sessions; returns their number, half-authenticated ones included. */
  async endSessions(tx: Tx, subject: string, actor: string): Promise<number> {
    const count = await this.sessions.endAll(tx, subject);
    if (count > 0) await this.events.record(tx, { kind: 'SESSION_REVOKED', subject, actor, reason: 'all' });
    return count;
  }

  /** Ends the trust in one device; false if the account has no such device. */
  endTrust(tx: Tx, subject: string, device: string, actor: string): Promise<boolean> {
    return this.devices.revokeOne(tx, subject, device, actor);
  }

  /**
   * Removes all authenticators and trusted devices and ends all sessions, if `admit`, which runs in the same transaction,
   * does not throw.
   * @throws ServiceError `NOT_FOUND`
   */
  resetMfa(subject: string, actor: string, admit: (tx: Tx) => Promise<unknown>): Promise<void> {
    return this.authenticators.reset(subject, actor, async (tx) => {
      await admit(tx);
      await this.sessions.endAll(tx, subject);
    });
  }

  /**
   * Removes one of several authenticators and ends all sessions: it may have been used by another person.
   * @throws ServiceError `NOT_FOUND`; `MFA_STATE_CONFLICT` for the last authenticator, also for the last app while passkeys
   * cannot be used
   */
  async removeAuthenticator(tx: Tx, subject: string, id: string, actor: string): Promise<void> {
    await this.authenticators.removeOneBy(tx, actor, subject, id);
    await this.sessions.endAll(tx, subject);
  }

  /** Removes the authenticators, the mailed links and the mails of a deleted account. */
  async forget(tx: Tx, subject: string): Promise<void> {
    await this.authenticators.forget(tx, subject);
    await this.links.endAll(tx, subject);
    await this.mails.forget(tx, subject);
  }
}
