import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/clock.js';
import type { SecurityEvent } from '../../../identity/events/security-event.js';
import { SecurityEvents } from '../../../identity/events/security-events.service.js';
import { UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import type { Amr } from '../../../kernel/principal/amr.js';
import type { BrowserKind } from '../../../identity/session/session.js';
import { type OpenedSession, Sessions } from '../../../identity/session/sessions.service.js';
import { MfaTokens } from '../../../identity/token/mfa-tokens.service.js';
import { type Challenge, firstFactorEvent, type FirstFactorResult } from './first-factor.js';

/** Demands the second step of a login whose first factor is verified. */
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
  async issueToken({ account, amr }: FirstFactorResult): Promise<Challenge> {
    const { token, expiresAt } = await this.mfaTokens.issue({
      subject: account.id,
      securityStamp: account.securityStamp,
      amr,
    });
    await this.events.recordAlone(...eventsOf(account.id, amr));
    return { mfaToken: token, expiresIn: expiresAt - this.clock.seconds() };
  }

  /**
   * Opens a half-authenticated session of the web portal, which replaces the session with the cookie `former`, and is of this kind
   * once it is complete.
   */
  openSession(
    { account, amr, authTime, next }: FirstFactorResult,
    former: string | undefined,
    kind: BrowserKind,
  ): Promise<OpenedSession> {
    const { id: subject, securityStamp } = account;
    return this.work.run(async (tx) => {
      const [opened] = await Promise.all([
        this.sessions.openHalf(tx, { subject, securityStamp, amr, authTime, isEnrolment: next === 'enrol', kind }),
        this.events.record(tx, ...eventsOf(subject, amr)),
      ]);
      await this.sessions.endReplaced(tx, former, opened.session);
      return opened;
    });
  }
}

function eventsOf(subject: string, amr: Amr): readonly SecurityEvent[] {
  return [firstFactorEvent(subject, amr), { kind: 'MFA_CHALLENGED', subject }];
}
