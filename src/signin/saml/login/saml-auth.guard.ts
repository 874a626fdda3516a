import { createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { requestContext } from '../../../kernel/principal/request-context.js';
import { HttpError } from '../../../platform/http/errors/http-error.js';
import { problemPage } from '../../../platform/http/page/problem-page.js';
import { cookiesOf, cookieValues } from '../../../platform/web/cookies.js';
import type { HttpRequest } from '../../../platform/web/http-request.js';
import { ReturnTargets } from '../../../platform/web/return-targets.service.js';
import { SAML_REQUEST, SESSION } from '../../auth/cookies.js';
import { RESUME_PAGE, SIGN_IN_PAGE } from '../../auth/page-paths.js';
import type { SsoResult } from './assertion-consumer.service.js';
import type { SamlRejection } from './rejection.js';
import { type PostedLogin, SAML } from './staff-login.strategy.js';

/** Rejections of a response that may have signed this browser in before. */
const REPEATED_RESPONSE: ReadonlySet<string | undefined> = new Set<SamlRejection>([
  'in_response_to',
  'other_browser',
  'request_used',
  'replay',
]);

type StaffRequest = HttpRequest & { staffLogin?: SsoResult };

/** Parameter: the login that `SamlAuthGuard` has accepted. */
export const AcceptedLogin = createParamDecorator(
  (_data: unknown, context: ExecutionContext): SsoResult | undefined => {
    return context.switchToHttp().getRequest<StaffRequest>().staffLogin;
  },
);

/** Admits a post to the assertion consumer service whose response signs its browser in. */
@Injectable()
export class SamlAuthGuard extends AuthGuard(SAML) {
  constructor(private readonly targets: ReturnTargets) {
    super();
  }

  /** The strategy gets what it reads in place of the request, to which Passport would add properties. */
  override getRequest(context: ExecutionContext): PostedLogin {
    const request = context.switchToHttp().getRequest<HttpRequest & { params: { idp: string }; body: unknown }>();
    const browser = { samlRequests: cookieValues(request, SAML_REQUEST), session: cookiesOf(request)[SESSION] };
    return { idp: request.params.idp, form: request.body, browser, origin: request };
  }

  /** @throws what the strategy has thrown */
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the signature of AuthGuard
  override handleRequest<T>(error: unknown, login: unknown, _info: unknown, context: ExecutionContext): T {
    if (error instanceof Error) throw this.offeringResume(error);
    // Passport reports a failure without an error in other ways: none of them admits a post.
    if (error || !login) throw new TypeError('the strategy has accepted no login');
    context.switchToHttp().getRequest<StaffRequest>().staffLogin = login as SsoResult;
    return login as T;
  }

  /**
   * After "Back" the browser posts the response once more, and it is rejected. The cookie of the session that began with the
   * first response is not sent with a post from another site, so the error page leads to a page that looks for it.
   */
  private offeringResume(error: Error): Error {
    if (!(error instanceof ServiceError) || !REPEATED_RESPONSE.has(error.facts.reason)) return error;
    const problem = { code: error.code, requestId: requestContext()?.requestId ?? '' };
    return HttpError.withPage(error, problemPage(problem, SIGN_IN_PAGE, this.targets.contextPath + RESUME_PAGE));
  }
}
