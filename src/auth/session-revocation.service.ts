import { Injectable } from '@nestjs/common';
import { SecurityEvents } from '../events/security-events.service.js';
import { UnitOfWork } from '../persistence/unit-of-work.js';
import { Sessions } from '../session/sessions.service.js';

/** Ends sessions, with the event beside the change. */
@Injectable()
export class SessionRevocation {
  constructor(
    private readonly work: UnitOfWork,
    private readonly sessions: Sessions,
    private readonly events: SecurityEvents,
  ) {}

  /** False where there is no such session of this subject. */
  revoke(subject: string, sid: string, reason = 'logout'): Promise<boolean> {
    return this.work.run(async (tx) => {
      const isEnded = await this.sessions.end(tx, sid, subject);
      if (isEnded) await this.events.record(tx, { kind: 'SESSION_REVOKED', subject, reason });
      return isEnded;
    });
  }

  /** Ends every other session of the subject. */
  async revokeOthers(subject: string, sid: string): Promise<void> {
    await this.work.run(async (tx) => {
      const ended = await this.sessions.endAll(tx, subject, sid);
      if (ended > 0) await this.events.record(tx, { kind: 'SESSION_REVOKED', subject, reason: 'others' });
    });
  }

  /** Ends the session a refresh token belongs to, whether or not it is the newest one. */
  async revokeByRefreshToken(refreshToken: string): Promise<void> {
    await this.work.run(async (tx) => {
      const session = await this.sessions.findByRefreshToken(tx, refreshToken);
      if (session && (await this.sessions.end(tx, session.sid, session.subject))) {
        await this.events.record(tx, { kind: 'SESSION_REVOKED', subject: session.subject, reason: 'logout' });
      }
    });
  }
}
