import { Injectable } from '@nestjs/common';
import { Accounts } from '../../account/accounts.service.js';
import { ServiceError } from '../../errors/service-error.js';
import type { FullPrincipal, Principal } from '../../principal/principal.js';
import { AccessTokens } from '../../token/access-tokens.service.js';
import { MfaTokens } from '../../token/mfa-tokens.service.js';
import { Sessions } from '../../session/sessions.service.js';
import { parseBearer, hasMfaTokenType } from './bearer.js';
import { toPrincipal } from './session-principal.js';

/** What a request carries to say who asks. */
export interface RequestCredentials {
  /** `Authorization`. */
  readonly authorization: string | undefined;
  /** Cookie `SESSION`. */
  readonly session: string | undefined;
}

/** Tells who a request is from: `Authorization` beats the cookie, and a bad one is no reason to look at the cookie. */
@Injectable()
export class RequestAuthenticator {
  constructor(
    private readonly accessTokens: AccessTokens,
    private readonly mfaTokens: MfaTokens,
    private readonly sessions: Sessions,
    private readonly accounts: Accounts,
  ) {}

  /** @throws ServiceError `INVALID_TOKEN`; for an unusable half token where one is allowed `MFA_TOKEN_INVALID` */
  async authenticate({ authorization, session }: RequestCredentials, halfTokenAllowed: boolean): Promise<Principal> {
    if (authorization !== undefined) return this.fromHeader(authorization, halfTokenAllowed);
    // RFC 6750 section 3.1: no error where nothing was tried.
    if (session === undefined) throw new ServiceError('INVALID_TOKEN', { challenge: 'Bearer' });
    return this.fromCookie(session);
  }

  /** The caller of an open page by the session cookie; undefined unless it names a live session. */
  async visitor(session: string | undefined): Promise<Principal | undefined> {
    if (session === undefined) return undefined;
    try {
      return await this.fromCookie(session);
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'INVALID_TOKEN') return undefined;
      throw error;
    }
  }

  private async fromHeader(authorization: string, halfTokenAllowed: boolean): Promise<Principal> {
    const token = parseBearer(authorization);
    if (token === undefined) throw invalid('no bearer token');
    if (!hasMfaTokenType(token)) return this.fromAccessToken(token);
    if (!halfTokenAllowed) throw invalid('half token');
    const claims = await this.mfaTokens.verify(token);
    if (!claims) throw new ServiceError('MFA_TOKEN_INVALID', { reason: 'not a half token of ours' });
    const { subject, jti: id, securityStamp, expiresAt, issuedAt: authTime } = claims;
    return { kind: 'half', via: 'token', subject, id, securityStamp, expiresAt, authTime };
  }

  private async fromAccessToken(token: string): Promise<FullPrincipal> {
    const claims = await this.accessTokens.verify(token);
    if (!claims) throw invalid('not an access token of ours');
    const session = await this.sessions.find(claims.sid);
    if (session?.subject !== claims.subject) throw invalid('session ended');
    await this.sessions.touch(session);
    return toPrincipal({ ...claims, id: claims.sid }, 'token', claims.roles);
  }

  private async fromCookie(secret: string): Promise<Principal> {
    const session = await this.sessions.findBySecret(secret);
    if (!session) throw invalid('no such session');
    const { subject, id, halfSecurityStamp: securityStamp, expiresAt, authTime, idp } = session;
    if (securityStamp !== undefined) {
      return {
        kind: 'half',
        via: 'session',
        subject,
        id,
        securityStamp,
        expiresAt,
        ...(authTime !== undefined && { authTime }),
        ...(idp !== undefined && { idp }),
      };
    }
    const account = await this.accounts.find(subject);
    if (account?.status !== 'active') throw invalid('account not active');
    await this.sessions.touch(session);
    return toPrincipal(session, 'session', account.roles);
  }
}

function invalid(reason: string): ServiceError {
  return new ServiceError('INVALID_TOKEN', { reason, challenge: 'Bearer error="invalid_token"' });
}
