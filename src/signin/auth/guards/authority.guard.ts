import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ROLE_ADMIN, ROLE_HELPDESK } from '../../../identity/account/account.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { SecurityEvents } from '../../../identity/events/security-events.service.js';
import { AMR, AUTHORITY } from '../../../kernel/principal/access.decorator.js';
import { type RequiredAmr, StepUpRequired } from '../../../kernel/principal/amr.js';
import { isHalfAuthenticated, type Principal } from '../../../kernel/principal/principal.js';
import { hasAnyAuthority } from './access.js';
import type { PermittedRequest } from './permit.decorator.js';
import { Permits } from './permits.service.js';
import { RequiredFactors } from './required-factors.service.js';

/** 403 if the authority is missing; 401 with the challenge of RFC 9470 if the login is not strong or recent enough. */
@Injectable()
export class AuthorityGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly factors: RequiredFactors,
    private readonly events: SecurityEvents,
    private readonly permits: Permits,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<PermittedRequest>();
    const { principal } = request;
    if (!principal) return true;
    const targets = [context.getHandler(), context.getClass()];
    const authorities = this.reflector.getAllAndOverride<readonly string[] | undefined>(AUTHORITY, targets);
    if (authorities && !hasAnyAuthority(principal, authorities)) {
      if (authorities.includes(ROLE_ADMIN)) await this.recordHelpDesk(principal, context);
      throw new ServiceError('ACCESS_DENIED');
    }
    const amr = this.reflector.getAllAndOverride<RequiredAmr | undefined>(AMR, targets);
    if (isHalfAuthenticated(principal)) {
      if (amr) throw new StepUpRequired(amr);
      return true;
    }
    const missing = amr && (await this.factors.missing(principal, amr));
    if (missing) throw new StepUpRequired(missing);
    if (authorities || amr) request.permit = this.permits.permitOf(principal, { authorities, amr });
    return true;
  }

  /** The help desk at a route of administrators; other users could fill the table of events. */
  private async recordHelpDesk(principal: Principal, context: ExecutionContext): Promise<void> {
    if (isHalfAuthenticated(principal) || !principal.roles.includes(ROLE_HELPDESK)) return;
    await this.events.recordAlone({
      kind: 'ADMIN_ACT_REFUSED',
      actor: principal.subject,
      result: 'refused',
      reason: 'help desk',
      detail: { act: context.getHandler().name },
    });
  }
}
