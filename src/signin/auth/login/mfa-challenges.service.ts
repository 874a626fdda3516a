import { Injectable } from '@nestjs/common';
import type { Account } from '../../../identity/account/account.js';
import { Clock } from '../../../kernel/clock/clock.js';
import type { SecurityEvent } from '../../../identity/events/security-event.js';
import { SecurityEvents } from '../../../identity/events/security-events.service.js';
import { UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import { PWD } from '../../../kernel/principal/amr.js';
import { type OpenedSession, Sessions } from '../../../identity/session/sessions.service.js';
import { MfaTokens } from '../../../identity/token/mfa-tokens.service.js';
import type { FirstFactorResult } from './password-authenticator.service.js';

/** An `mfa_token` for the second step. */
export interface Challenge {
  readonly mfaToken: string;
  /** Seconds. */
  readonly expiresIn: number;
}

/** Demands the second step of a login whose password is verified. */
@Injectable()
export class MfaChallenges {
  constructor(
    private readonly work: UnitOfWork,
    private readonly mfaTokens: MfaTokens,
    private readonly sessions: Sessions,
    private readonly events: SecurityEvents,
    private readonly clock: Clock,
  ) {}

  /** Issues an `mfa_token`, which is not stored. */
  async issueToken({ account }: FirstFactorResult): Promise<Challenge> {
    const { token, expiresAt } = await this.mfaTokens.issue({
      subject: account.id,
      securityStamp: account.securityStamp,
    });
    await this.events.recordAlone(...eventsOf(account));
    return { mfaToken: token, expiresIn: expiresAt - this.clock.seconds() };
  }

  /**
   * Opens a half-authenticated session of the web portal, which replaces the session with the cookie `former`.
   */
  openSession({ account, authTime, next }: FirstFactorResult, former: string | undefined): Promise<OpenedSession> {
    const { id: subject, securityStamp } = account;
    return this.work.run(async (tx) => {
      const [opened] = await Promise.all([
        this.sessions.openHalf(tx, { subject, securityStamp, authTime, isEnrolment: next === 'enrol' }),
        this.events.record(tx, ...eventsOf(account)),
      ]);
      await this.sessions.endReplaced(tx, former, opened.session);
      return opened;
    });
  }
}

function eventsOf({ id: subject }: Account): readonly SecurityEvent[] {
  return [
    { kind: 'LOGIN_PASSWORD_OK', subject, amr: PWD },
    { kind: 'MFA_CHALLENGED', subject },
  ];
}
