import { Injectable } from '@nestjs/common';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { HttpError } from '../../../platform/http/errors/http-error.js';
import type { Principal } from '../../../kernel/principal/principal.js';
import { AccessTokenStrategy } from '../strategies/access-token.strategy.js';
import { type RequestCredentials, STRATEGIES, type StrategyName } from '../strategies/credential.strategy.js';
import { MfaTokenStrategy } from '../strategies/mfa-token.strategy.js';
import { SessionCookieStrategy } from '../strategies/session-cookie.strategy.js';

/**
 * RFC 6750 section 3.1: the challenge names no error if the request has no credentials. One shared instance: its stack trace
 * would take a seventh of the time of the response.
 */
export const MISSING_CREDENTIALS = new HttpError('INVALID_TOKEN', { challenge: 'Bearer' });

interface Strategy {
  validate(credentials: RequestCredentials): Promise<Principal | undefined>;
}

/** Authenticates requests to routes that no `AuthenticationGuard` protects, by the same strategies. */
@Injectable()
export class RequestAuthenticator {
  private readonly strategies: Readonly<Record<StrategyName, Strategy>>;

  constructor(accessToken: AccessTokenStrategy, mfaToken: MfaTokenStrategy, sessionCookie: SessionCookieStrategy) {
    this.strategies = { 'access-token': accessToken, 'mfa-token': mfaToken, 'session-cookie': sessionCookie };
  }

  /** @throws ServiceError as `AuthenticationGuard` does */
  async authenticate(credentials: RequestCredentials): Promise<Principal> {
    for (const name of STRATEGIES) {
      const principal = await this.strategies[name].validate(credentials);
      if (principal) return principal;
    }
    throw MISSING_CREDENTIALS;
  }

  /** The caller of a public page by the session cookie; undefined unless the cookie names a live session. */
  async visitor(session: string | undefined): Promise<Principal | undefined> {
    try {
      return await this.strategies['session-cookie'].validate({ authorization: undefined, session });
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'INVALID_TOKEN') return undefined;
      throw error;
    }
  }
}
