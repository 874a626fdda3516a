import { Injectable } from '@nestjs/common';
import * as v from 'valibot';
import { SIGN_IN_FORM } from '../../../signin/auth/cookies.js';
import { SIGN_IN_PAGE, withReturnTo } from '../../../signin/auth/page-paths.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { html } from '../../../kernel/encoding/html.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import type { View } from '../../../platform/http/page/view.js';
import { localPath } from '../../../platform/http/page/page-language.js';
import type { Reply } from '../../../platform/web/cookies.js';
import type { HttpRequest } from '../../../platform/web/http-request.js';
import { type PagePart, pageView } from '../../../signin/messages/page.js';
import { LINK_TOKEN } from '../../../signin/recovery/account-link.js';
import { withForm } from '../form/form-errors.js';
import { buttonLink } from '../form/forms.js';
import { PageForms } from '../form/page-forms.service.js';
import { SignInForms } from './sign-in-forms.service.js';
import { signInPage } from './sign-in-page.js';

/** A form as it arrived; nothing of it is verified. */
interface LostForm extends HttpRequest {
  readonly url: string;
  readonly body: unknown;
}

const optionalText = v.fallback(v.optional(v.string()), undefined);
const fieldsSchema = v.fallback(
  v.object({ id: optionalText, return_to: optionalText, again: optionalText, [LINK_TOKEN]: optionalText }),
  {},
);

/**
 * Answers the form of a visitor whose browser did not send the cookie of the form: two tabs that were opened at once have one
 * cookie, and a browser that blocks cookies has none. The form comes again with what was typed, but never with a password.
 */
@Injectable()
export class LostForms {
  constructor(
    private readonly forms: PageForms,
    private readonly signInForms: SignInForms,
  ) {}

  /** The error with its page. Without any cookie, the page says that the sign-in needs them. */
  rejection(request: LostForm, reply: Reply): Promise<ServiceError> {
    const hasCookie = reply.cookies[SIGN_IN_FORM] !== undefined;
    const error = new ServiceError('CROSS_SITE', { reason: hasCookie ? 'form token' : 'no form cookie' });
    return withForm(
      error,
      (alert) => this.page(request, reply, alert),
      () =>
        ({ lostForm }) =>
          hasCookie ? lostForm.outdated : lostForm.needsCookies,
    );
  }

  /** The target of the form, for a browser whose sign-in has completed meanwhile. */
  targetOf({ body }: LostForm): string {
    return this.forms.returnTarget(v.parse(fieldsSchema, body).return_to);
  }

  private page({ url, body }: LostForm, reply: Reply, alert: PagePart): View {
    const { id, again, return_to: returnTo, [LINK_TOKEN]: token } = v.parse(fieldsSchema, body);
    const path = localPath(url);
    if (path === SIGN_IN_PAGE) {
      const fields = this.signInForms.createNew({ again, return_to: returnTo }, reply);
      return signInPage({ ...fields, ...withoutUndefined({ id }), alert });
    }
    const target = withReturnTo(this.forms.contextPath + path, this.forms.returnTarget(returnTo));
    const address = token === undefined ? target : `${target}&${LINK_TOKEN}=${encodeURIComponent(token)}`;
    return pageView(
      (context) => ({
        title: context.t.problem.title,
        hasSecretAddress: true,
        body: html`${alert(context)}<p class="actions">${buttonLink(address, context.t.lostForm.toForm, 'primary')}</p>
`,
      }),
      { address },
    );
  }
}
