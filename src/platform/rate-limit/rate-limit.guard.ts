import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { AuthenticatedRequest } from '../../kernel/principal/access.decorator.js';
import { isHalfAuthenticated } from '../../kernel/principal/principal.js';
import { networkOf, requestContext } from '../../kernel/principal/request-context.js';
import { KnownCallers, type LimitedRequest } from './known-callers.js';
import { groupOf } from './rate-limited.decorator.js';
import { type LimitedReply, RateLimiter, type Subject } from './rate-limiter.service.js';

/** Counts requests by address and by the login id that they name, before they are authenticated. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly limiter: RateLimiter,
    private readonly callers: KnownCallers,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const group = groupOf(this.reflector, context);
    const [byAddress, byId] = [this.limiter.applies(group, 'address'), this.limiter.applies(group, 'id')];
    if (!byAddress && !byId) return true;
    return this.admit(context, { group, byAddress, byId });
  }

  private async admit(
    context: ExecutionContext,
    { group, byAddress, byId }: Pick<Subject, 'group'> & { readonly byAddress: boolean; readonly byId: boolean },
  ): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<LimitedRequest>();
    // The address of a request whose client has gone is unknown.
    const network = networkOf(requestContext()?.ip ?? '');
    const id = this.callers.loginIdOf(request);
    const deviceOwner = await this.callers.deviceOwnerOf(request, id);
    const subjects: readonly Subject[] = [
      ...(byAddress ? [{ group, by: 'address' as const, value: network, deviceOwner }] : []),
      // Both lanes of a device have the name of its owner: one charge is enough.
      ...(byId && id !== undefined && !(byAddress && deviceOwner !== undefined)
        ? [{ group, by: 'id' as const, value: id, deviceOwner }]
        : []),
    ];
    await this.limiter.admit(subjects, http.getResponse<LimitedReply>());
    return true;
  }
}

/** Counts requests by session, after they are authenticated. */
@Injectable()
export class SessionRateLimitGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly limiter: RateLimiter,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const { principal } = http.getRequest<AuthenticatedRequest>();
    if (!principal) return true;
    const group = groupOf(this.reflector, context);
    if (!this.limiter.applies(group, 'session')) return true;
    const value = isHalfAuthenticated(principal) ? principal.id : principal.sid;
    return this.limiter.admit([{ group, by: 'session', value }], http.getResponse<LimitedReply>()).then(() => true);
  }
}
