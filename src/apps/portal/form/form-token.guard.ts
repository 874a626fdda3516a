import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { SIGN_IN_FORM } from '../../../signin/auth/cookies.js';
import { SAFE } from '../../../signin/auth/guards/cross-site.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import type { AuthenticatedRequest } from '../../../kernel/principal/access.decorator.js';
import { hasSecondFactor } from '../../../kernel/principal/amr.js';
import type { Principal } from '../../../kernel/principal/principal.js';
import { cookiesOf, replyOf } from '../../../platform/web/cookies.js';
import type { HttpRequest } from '../../../platform/web/http-request.js';
import { demandTexts } from '../../../platform/http/upload/uploads.js';
import { prefersPage } from '../../../platform/http/page/layout.js';
import { HttpError } from '../../../platform/http/errors/http-error.js';
import { withForm } from './form-errors.js';
import { LostForms } from '../sign-in/lost-forms.service.js';
import { PlainHttpWarning } from '../sign-in/plain-http-warning.service.js';
import { browserBinding, callerBinding, FormTokens } from './form-tokens.service.js';

interface FormRequest extends HttpRequest, AuthenticatedRequest {
  readonly url: string;
  readonly body: unknown;
}

/** Name of the form field with the CSRF token. */
const TOKEN = 'csrf';

/**
 * Rejects a form that was not sent from our page in the same session or, without a session, the same browser. The handler
 * of a form with a file must receive the upload before it changes anything: only the reception verifies its token.
 */
@Injectable()
export class FormTokenGuard implements CanActivate {
  constructor(
    private readonly tokens: FormTokens,
    private readonly plainHttp: PlainHttpWarning,
    private readonly lostForms: LostForms,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FormRequest>();
    if (SAFE.has(request.method)) return true;
    const boundTo = bindingOf(request);
    // The body of an upload is read by its handler: then the token is verified before the file is received.
    if (this.isDemandedOfUpload(request, boundTo)) return true;
    const { csrf } = (request.body ?? {}) as { readonly csrf?: unknown };
    if (this.isValid(csrf, boundTo)) return true;
    if (boundTo === undefined && this.plainHttp.isCookieLost(request)) {
      const cause = new ServiceError('CROSS_SITE', { reason: 'no form cookie over http' });
      throw await withForm(cause, (problem) => this.plainHttp.page(problem));
    }
    if (!request.principal && prefersPage(request.headers.accept))
      throw await this.lostForms.rejection(request, replyOf(context));
    // The form belongs to a login that has completed meanwhile, for example after "Back": redirect to its target.
    const isOutlived = typeof csrf === 'string' && this.tokens.isOfHalf(csrf) && isComplete(request.principal);
    const seeOther = isOutlived ? this.lostForms.targetOf(request) : undefined;
    throw new HttpError('CROSS_SITE', { reason: 'form token', ...withoutUndefined({ seeOther }) });
  }

  private isDemandedOfUpload(request: FormRequest, boundTo: string | undefined): boolean {
    return demandTexts(request, {
      names: [TOKEN],
      verify: (texts) => {
        if (!this.isValid(texts.get(TOKEN), boundTo)) throw new ServiceError('CROSS_SITE', { reason: 'form token' });
      },
    });
  }

  private isValid(csrf: unknown, boundTo: string | undefined): csrf is string {
    return typeof csrf === 'string' && boundTo !== undefined && this.tokens.isValid(csrf, boundTo);
  }
}

function isComplete(principal: Principal | undefined): boolean {
  return principal?.kind === 'full' && hasSecondFactor(principal.amr);
}

function bindingOf(request: FormRequest): string | undefined {
  if (request.principal) return callerBinding(request.principal);
  const cookie = cookiesOf(request)[SIGN_IN_FORM];
  return cookie === undefined ? undefined : browserBinding(cookie);
}
