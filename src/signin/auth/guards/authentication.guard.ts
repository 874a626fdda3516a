import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import {
  type AuthenticatedRequest,
  PUBLIC,
  RESOURCE_SERVER,
  SECOND_FACTOR,
  hasMark,
} from '../../../kernel/principal/access.decorator.js';
import type { Principal } from '../../../kernel/principal/principal.js';
import { setUser } from '../../../kernel/principal/request-context.js';
import { cookiesOf } from '../../../platform/web/cookies.js';
import type { HttpRequest } from '../../../platform/web/http-request.js';
import { SESSION } from '../cookies.js';
import { type RequestCredentials, STRATEGIES } from '../strategies/credential.strategy.js';
import { MISSING_CREDENTIALS } from './request-authenticator.service.js';

/** 401 unless the request authenticates its caller; public routes skip authentication altogether. */
@Injectable()
export class AuthenticationGuard extends AuthGuard([...STRATEGIES]) {
  constructor(private readonly reflector: Reflector) {
    super();
  }

  override canActivate(
    context: ExecutionContext,
  ): ReturnType<InstanceType<ReturnType<typeof AuthGuard>>['canActivate']> {
    return hasMark(this.reflector, PUBLIC, context) || super.canActivate(context);
  }

  /** Passport adds properties to its request; these must not end up on the request of the HTTP server. */
  override getRequest(context: ExecutionContext): RequestCredentials {
    const request = context.switchToHttp().getRequest<HttpRequest>();
    return {
      authorization: request.headers.authorization,
      session: cookiesOf(request)[SESSION],
      acceptsMfaToken: hasMark(this.reflector, SECOND_FACTOR, context),
      acceptsApiToken: hasMark(this.reflector, RESOURCE_SERVER, context),
    };
  }

  /** @throws what a strategy has thrown; ServiceError `INVALID_TOKEN` for a request without credentials */
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the signature of AuthGuard
  override handleRequest<T>(error: unknown, principal: unknown, _info: unknown, context: ExecutionContext): T {
    if (error instanceof Error) throw error;
    if (!isPrincipal(principal)) throw MISSING_CREDENTIALS;
    context.switchToHttp().getRequest<AuthenticatedRequest>().principal = principal;
    setUser(principal.subject);
    return principal as T;
  }
}

/** Passport reports `false` if no strategy accepted the request. */
function isPrincipal(user: unknown): user is Principal {
  return typeof user === 'object' && user !== null && 'subject' in user;
}
