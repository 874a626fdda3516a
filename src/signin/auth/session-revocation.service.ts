import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/persistence/unit-of-work.js';
import { SessionRefresh } from '../../identity/session/session-refresh.service.js';
import { Sessions } from '../../identity/session/sessions.service.js';

/** Ends sessions and records the event in the same transaction. */
@Injectable()
export class SessionRevocation {
  constructor(
    private readonly work: UnitOfWork,
    private readonly sessions: Sessions,
    private readonly refresh: SessionRefresh,
  ) {}

  /** Ends one session; false if the subject has no such session. */
  revoke(subject: string, sid: string, reason = 'logout'): Promise<boolean> {
    return this.work.run((tx) => this.sessions.revoke(tx, sid, subject, { reason }));
  }

  /** Ends every other session of the subject. */
  async revokeOthers(subject: string, sid: string): Promise<void> {
    await this.work.run((tx) => this.sessions.revokeAll(tx, subject, { reason: 'others' }, sid));
  }

  /** Ends the session of a refresh token, whether or not that token is still the newest. */
  async revokeByRefreshToken(refreshToken: string): Promise<void> {
    await this.work.run(async (tx) => {
      const session = await this.refresh.findSession(tx, refreshToken);
      if (session) await this.sessions.revoke(tx, session.sid, session.subject, { reason: 'logout' });
    });
  }
}
