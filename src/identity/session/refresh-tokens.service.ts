import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import type { Tx } from '../../platform/persistence/unit-of-work.js';
import { RefreshTokenStore } from './refresh-token.store.js';
import { RefreshTokenValues } from './refresh-token-values.service.js';
import type { RefreshToken, Session } from './session.js';

/** Issues the refresh tokens of logins and step-ups, and deletes those of ended sessions. */
@Injectable()
export class RefreshTokens {
  constructor(
    private readonly store: RefreshTokenStore,
    private readonly clock: Clock,
    private readonly values: RefreshTokenValues,
  ) {}

  /** Issues the first token of a family. */
  issueFirst(tx: Tx, session: Session, expiresAt: number): Promise<RefreshToken> {
    return this.issue(tx, session, 1, expiresAt);
  }

  /** Issues a token that supersedes the current one; a use of the superseded token is no sign of theft. */
  async replace(tx: Tx, session: Session, expiresAt: number): Promise<RefreshToken> {
    await this.store.supersede(tx, session.id, this.clock.seconds());
    return this.issue(tx, session, (await this.store.lastGeneration(tx, session.id)) + 1, expiresAt);
  }

  deleteBySession(tx: Tx, sid: string): Promise<void> {
    return this.store.deleteBySession(tx, sid);
  }

  deleteByUser(tx: Tx, subject: string, exceptSid: string): Promise<void> {
    return this.store.deleteByUser(tx, subject, exceptSid);
  }

  private async issue(tx: Tx, session: Session, generation: number, expiresAt: number): Promise<RefreshToken> {
    const token = { value: this.values.issue(session.id), expiresAt };
    await this.store.insert(tx, session, generation, token, this.clock.seconds());
    return token;
  }
}
