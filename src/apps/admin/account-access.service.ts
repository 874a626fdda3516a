import { Injectable } from '@nestjs/common';
import { MailQueue } from '../../platform/mail/mail-queue.service.js';
import type { Tx } from '../../platform/persistence/unit-of-work.js';
import { EnrolledAuthenticators } from '../../identity/second-factor/enrolment/enrolled-authenticators.service.js';
import { TrustedDeviceList } from '../../identity/second-factor/trusted-device/trusted-device-list.service.js';
import { AccessTermination } from '../../signin/recovery/access-termination.service.js';
import { Sessions } from '../../identity/session/sessions.service.js';

/** Ends the access to an account that does not need its password, and removes its authenticators. */
@Injectable()
export class AccountAccess {
  constructor(
    private readonly sessions: Sessions,
    private readonly devices: TrustedDeviceList,
    private readonly termination: AccessTermination,
    private readonly authenticators: EnrolledAuthenticators,
    private readonly mails: MailQueue,
  ) {}

  /** Ends all sessions and the trust in all devices. */
  endAll(tx: Tx, subject: string): Promise<void> {
    return this.termination.endAll(tx, subject);
  }

  /** Ends all access of a disabled account, also by mailed links and an access code: none is valid again when it is enabled. */
  endAllOfDisabled(tx: Tx, subject: string): Promise<void> {
    return this.termination.endAllAndLinks(tx, subject);
  }

  /** Ends one session; false if the account has no such session. */
  endSession(tx: Tx, subject: string, sid: string, actor: string): Promise<boolean> {
    return this.sessions.revoke(tx, sid, subject, { actor, reason: 'revoked' });
  }

  /** Ends all sessions; returns their number, half-authenticated ones included. */
  endSessions(tx: Tx, subject: string, actor: string): Promise<number> {
    return this.sessions.revokeAll(tx, subject, { actor, reason: 'all' });
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

  /** Ends all access of a deleted account, and removes its authenticators and mails. */
  async endAllOfDeleted(tx: Tx, subject: string): Promise<void> {
    await this.termination.endAllAndLinks(tx, subject);
    await this.authenticators.forget(tx, subject);
    await this.mails.forget(tx, subject);
  }
}
