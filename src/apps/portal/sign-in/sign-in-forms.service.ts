import { Injectable } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { RelyingParty } from '../../../identity/second-factor/passkey/relying-party.service.js';
import { SessionProperties } from '../../../identity/session/session.properties.js';
import { SIGN_IN_FORM } from '../../../signin/auth/cookies.js';
import { SIGN_IN_PAGE } from '../../../signin/auth/page-paths.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import type { PagePart } from '../../../signin/messages/page.js';
import type { Reply } from '../../../platform/web/cookies.js';
import type { HttpRequest } from '../../../platform/web/http-request.js';
import type { signInQuery } from '../form/forms.schema.js';
import { type FormFields, note, paragraph } from '../form/forms.js';
import { PageForms } from '../form/page-forms.service.js';
import { PlainHttpWarning } from './plain-http-warning.service.js';
import { SignInOptions } from './sign-in-options.service.js';
import type { SignInFields } from './sign-in-page.js';

type SignInQuery = InferOutput<typeof signInQuery>;

/**
 * Alert after the end of a session. A browser with a new session does not see it, since the sign-in page redirects it.
 */
const ENDED: PagePart = ({ t }) => note('bad', paragraph(t.errors.INVALID_TOKEN));
const NO_LONGER_KEPT: PagePart = ({ t }) => note('good', paragraph(t.signedOut.noLongerKept));

function alertOf({ ended, kept }: SignInQuery): PagePart | undefined {
  if (ended !== undefined) return ENDED;
  return kept === undefined ? undefined : NO_LONGER_KEPT;
}

/** Creates the sign-in form, which is bound to its browser by the sign-in cookie. */
@Injectable()
export class SignInForms {
  constructor(
    private readonly forms: PageForms,
    private readonly options: SignInOptions,
    private readonly plainHttp: PlainHttpWarning,
    private readonly relyingParty: RelyingParty,
    private readonly sessions: SessionProperties,
  ) {}

  /** Creates the form. Sets the sign-in cookie if it is missing, and warns at an address at which browsers drop it. */
  create(query: SignInQuery, request: HttpRequest, reply: Reply): SignInFields {
    // A browser that has sent the cookie accepts cookies.
    const isLost = reply.cookies[SIGN_IN_FORM] === undefined && this.plainHttp.isCookieLost(request);
    const alert = isLost ? this.plainHttp.alert() : alertOf(query);
    return { ...this.createNew(query, reply), ...withoutUndefined({ alert, id: query.login_hint }) };
  }

  /** Creates the form for a browser that may lack the sign-in cookie. */
  createNew(query: Pick<SignInQuery, 'again' | 'return_to'>, reply: Reply): SignInFields {
    return this.fields(this.forms.forVisitor(SIGN_IN_PAGE, reply, query.return_to), query);
  }

  /** Creates the form that is shown again after an error; the browser keeps its sign-in cookie. */
  createAgain(query: Pick<SignInQuery, 'return_to' | 'again'>, reply: Reply): SignInFields {
    const browser = reply.cookies[SIGN_IN_FORM] ?? '';
    return this.fields(this.forms.forBrowser(SIGN_IN_PAGE, browser, query.return_to), query);
  }

  private fields(form: FormFields, { again }: Pick<SignInQuery, 'again'>): SignInFields {
    const address = again === undefined ? form.address : `${form.address}&again=${encodeURIComponent(again)}`;
    const { keepSignedInDays: keepDays } = this.sessions;
    return {
      ...form,
      address,
      ...this.options.of(form.returnTo),
      hasPasskeys: this.relyingParty.signsIn,
      ...withoutUndefined({ again, keepDays }),
    };
  }
}
