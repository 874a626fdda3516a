import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import {
  type AuthenticatedRequest,
  HALF_AUTHENTICATED,
  SECOND_FACTOR,
  hasMark,
} from '../../../kernel/principal/access.decorator.js';
import { preMfaRejection } from './access.js';

/** Rejects half-authenticated callers everywhere but on the routes of the second factor that accept them. */
@Injectable()
export class PreMfaGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    if (!request.principal) return true;
    const rejection = preMfaRejection(request.principal, {
      isSecondFactor: hasMark(this.reflector, SECOND_FACTOR, context),
      alsoHalfAuthenticated: hasMark(this.reflector, HALF_AUTHENTICATED, context),
    });
    if (rejection) throw new ServiceError(rejection, { reason: 'second factor open' });
    return true;
  }
}
