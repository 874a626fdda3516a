import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type AuthenticatedRequest, PUBLIC } from '../../principal/access.decorator.js';
import { setUser } from '../../principal/request-context.js';
import { cookiesOf } from '../../web/cookies.js';
import { type HttpRequest, templateOf } from '../../web/http-request.js';
import { isSecondFactorRoute } from './access.js';
import { RequestAuthenticator } from './request-authenticator.service.js';
import { SESSION } from '../cookies.js';

/** 401 unless the caller is known; open routes ask for nobody and know nobody. */
@Injectable()
export class AuthenticationGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly authentication: RequestAuthenticator,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (this.reflector.getAllAndOverride<boolean | undefined>(PUBLIC, [context.getHandler(), context.getClass()])) {
      return true;
    }
    const request = context.switchToHttp().getRequest<HttpRequest & AuthenticatedRequest>();
    request.principal = await this.authentication.authenticate(
      { authorization: request.headers.authorization, session: cookiesOf(request)[SESSION] },
      isSecondFactorRoute(templateOf(request)),
    );
    setUser(request.principal.subject);
    return true;
  }
}
