import { Injectable } from '@nestjs/common';
import { Accounts } from '../../identity/account/accounts.service.js';
import { ServiceError } from '../../kernel/errors/service-error.js';
import type { Logger } from '../../observability/logging/logger.js';
import { Loggers } from '../../observability/logging/loggers.js';
import type { OpenedSession } from '../../identity/session/session.js';
import { type Rotation, SessionRefresh } from '../../identity/session/session-refresh.service.js';
import { RefreshMeters, type RefreshRejection } from './sign-in-meters.js';

/** A refreshed session with the current roles. */
export interface RefreshedSession {
  readonly opened: OpenedSession;
  readonly roles: readonly string[];
}

type Done = Exclude<Rotation<readonly string[]>, { readonly kind: 'rejected' | 'limited' }>;

/** Exchanges a refresh token for its only successor (RFC 9700 section 4.14.2). */
@Injectable()
export class TokenRefresh {
  private readonly log: Logger;

  constructor(
    private readonly sessions: SessionRefresh,
    private readonly accounts: Accounts,
    private readonly meters: RefreshMeters,
    loggers: Loggers,
  ) {
    this.log = loggers.get('auth');
  }

  /** @throws ServiceError `REFRESH_INVALID`, whatever the reason; `RATE_LIMITED` if the session is refreshed too often */
  async refresh(refreshToken: string | undefined): Promise<RefreshedSession> {
    const { opened, admitted } = await this.meters.record(() => this.exchanged(refreshToken));
    return { opened, roles: admitted };
  }

  private async exchanged(refreshToken: string | undefined): Promise<Done> {
    if (refreshToken === undefined) throw rejected('no cookie');
    const rotation = await this.sessions.rotate(refreshToken, async (tx, session) => {
      // An application sends its tokens to the token endpoint, with its own authentication.
      if (session.application) throw rejected('unknown');
      const account = await this.accounts.find(session.subject, tx);
      if (account?.status !== 'active') throw rejected('account not active');
      return account.roles;
    });
    if (rotation.kind === 'limited') {
      throw new ServiceError('RATE_LIMITED', { reason: 'session', retryAfterSeconds: rotation.waitSeconds });
    }
    if (rotation.kind === 'rejected') throw rejected(rotation.reason);
    this.log.debug(`Refresh token ${rotation.kind}`, { sid: rotation.opened.session.id });
    return rotation;
  }
}

function rejected(reason: RefreshRejection): ServiceError {
  return new ServiceError('REFRESH_INVALID', { reason });
}
