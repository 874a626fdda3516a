import { Injectable } from '@nestjs/common';
import { ServiceError } from '../../kernel/errors/service-error.js';
import type { Reply } from '../../platform/web/cookies.js';
import { askedBy, pathOf } from '../oidc/authorize/question-paths.js';
import type { Visitor } from '../oidc/authorize/sign-in-decision.js';
import { SignInDecisions } from '../oidc/authorize/sign-in-decisions.service.js';
import { decideAccess } from './access-decision.js';
import { ProtectedApplications } from './protected-applications.js';
import { requestTarget } from './request-target.js';
import type { ReturnAddress, SignInRequest } from './sign-in-request.store.js';
import { SignInRequests } from './sign-in-requests.service.js';

/** The part of a sign-in at the host of the service: asks the user for what the rule demands, and returns with a code. */
@Injectable()
export class PortalSignIn {
  constructor(
    private readonly applications: ProtectedApplications,
    private readonly requests: SignInRequests,
    private readonly decisions: SignInDecisions,
  ) {}

  /** @throws ServiceError `ACCESS_DENIED` if the user may not use the application, `VALIDATION_FAILED` without such a sign-in */
  async authorize(value: string, reply: Reply): Promise<void> {
    const request = await this.requests.find(value);
    if (!request) throw new ServiceError('VALIDATION_FAILED', { reason: 'forward-auth request' });
    const decision = await decideAccess(this.ruleOf(request), (demands) =>
      this.decisions.decide(demands, request, reply),
    );
    if (decision.kind === 'deny') throw new ServiceError('ACCESS_DENIED', { reason: 'forward-auth demand' });
    if (decision.kind === 'grant') return this.returnTo(request, value, decision.visitor, reply);
    await this.requests.markAsked(value, askedBy(decision.question));
    reply.seeOther(pathOf(decision.question, this.applications.contextPath, this.applications.authorizePath(value)));
  }

  private async returnTo({ origin }: ReturnAddress, value: string, visitor: Visitor, reply: Reply): Promise<void> {
    const code = await this.requests.grant(value, visitor);
    // A second tab of the same link, or a sign-out in this moment.
    if (code === undefined) throw new ServiceError('VALIDATION_FAILED', { reason: 'forward-auth request' });
    reply.seeOther(this.applications.callbackUrl(origin, code));
  }

  private ruleOf({ origin, uri }: SignInRequest): ReturnType<ProtectedApplications['rules']['find']> {
    const target = requestTarget(uri);
    return target && this.applications.rules.find(origin, target.path);
  }
}
