import 'reflect-metadata';
import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { AlsoHalfAuthenticated, SecondFactorRoute } from '../../../kernel/principal/access.decorator.js';
import type { HalfPrincipal, Principal } from '../../../kernel/principal/principal.js';
import type { Accounts } from '../../../identity/account/accounts.service.js';
import type { Sessions } from '../../../identity/session/sessions.service.js';
import type { AccessTokens } from '../../../identity/token/access-tokens.service.js';
import type { TokenProperties } from '../../../identity/token/token.properties.js';
import type { MfaTokens } from '../../../identity/token/mfa-tokens.service.js';
import { AccessTokenStrategy } from '../strategies/access-token.strategy.js';
import { MfaTokenStrategy } from '../strategies/mfa-token.strategy.js';
import { SessionCookieStrategy } from '../strategies/session-cookie.strategy.js';
import { AuthenticationGuard } from './authentication.guard.js';
import { PreMfaGuard } from './pre-mfa.guard.js';

class NewController {
  plain(): void {
    // A route that a developer has just added.
  }

  @AlsoHalfAuthenticated()
  onlyHalf(): void {
    // Lacks @SecondFactorRoute().
  }

  @SecondFactorRoute()
  onlySecondFactor(): void {
    // Lacks @AlsoHalfAuthenticated().
  }

  @SecondFactorRoute()
  @AlsoHalfAuthenticated()
  open(): void {
    // Has both.
  }
}

const half = {
  kind: 'half',
  subject: 's',
  id: 'i',
  amr: ['pwd'],
  securityStamp: 0,
  expiresAt: 180,
  authTime: 0,
} as const;
const MFA_TOKEN: HalfPrincipal = { ...half, via: 'token' };
const HALF_SESSION: HalfPrincipal = { ...half, via: 'session' };

function contextOf(method: keyof NewController, principal?: Principal): ExecutionContext {
  const request = { headers: {}, ...(principal && { principal }) };
  return {
    getHandler: () => Reflect.get(NewController.prototype, method) as unknown,
    getClass: () => NewController,
    switchToHttp: () => ({ getRequest: () => request, getResponse: () => ({}) }),
  } as unknown as ExecutionContext;
}

function codeFor(method: keyof NewController, principal: Principal): string | undefined {
  try {
    new PreMfaGuard(new Reflector()).canActivate(contextOf(method, principal));
    return undefined;
  } catch (error) {
    return error instanceof ServiceError ? error.code : 'defect';
  }
}

describe('a new route', () => {
  it.each<[keyof NewController, string | undefined, string | undefined]>([
    ['plain', 'INVALID_TOKEN', 'MFA_REQUIRED'],
    ['onlyHalf', 'INVALID_TOKEN', 'MFA_REQUIRED'],
    ['onlySecondFactor', 'MFA_REQUIRED', 'MFA_REQUIRED'],
    ['open', undefined, undefined],
  ])(
    'a route with the decorators of %s rejects an mfa_token with %s and a half-authenticated session with %s',
    (method, token, session) => {
      expect(codeFor(method, MFA_TOKEN)).toBe(token);
      expect(codeFor(method, HALF_SESSION)).toBe(session);
    },
  );

  it('rejects a request without credentials if it has no decorators', async () => {
    // Each strategy registers itself with Passport; none of them uses its services for a request without credentials.
    new AccessTokenStrategy({} as AccessTokens, {} as TokenProperties, {} as Sessions);
    new MfaTokenStrategy({} as MfaTokens);
    new SessionCookieStrategy({} as Sessions, {} as Accounts);
    const guard = new AuthenticationGuard(new Reflector());

    await expect(Promise.resolve(guard.canActivate(contextOf('plain')))).rejects.toMatchObject({
      code: 'INVALID_TOKEN',
      facts: { challenge: 'Bearer' },
    });
  });
});
