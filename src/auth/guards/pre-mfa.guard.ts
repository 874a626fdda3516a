import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ServiceError } from '../../errors/service-error.js';
import { type AuthenticatedRequest, HALF_AUTHENTICATED } from '../../principal/access.decorator.js';
import { type HttpRequest, templateOf } from '../../web/http-request.js';
import { preMfaRefusal } from './access.js';

/** Keeps half-authenticated callers on the few routes of the second factor that are theirs. */
@Injectable()
export class PreMfaGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<HttpRequest & AuthenticatedRequest>();
    if (!request.principal) return true;
    const targets = [context.getHandler(), context.getClass()];
    const alsoHalfAuthenticated = this.reflector.getAllAndOverride<boolean | undefined>(HALF_AUTHENTICATED, targets);
    const refusal = preMfaRefusal(request.principal, {
      template: templateOf(request),
      alsoHalfAuthenticated: alsoHalfAuthenticated === true,
    });
    if (refusal) throw new ServiceError(refusal, { reason: 'second factor open' });
    return true;
  }
}
