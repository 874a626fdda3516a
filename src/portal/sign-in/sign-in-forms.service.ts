import { Injectable } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { PasswordProperties } from '../../account/account.properties.js';
import { AuthCookies, SIGN_IN_FORM } from '../../auth/cookies.js';
import { SIGN_IN_PAGE } from '../../auth/page-paths.js';
import { withoutUndefined } from '../../collections/without-undefined.js';
import { Random } from '../../random/random.js';
import { Idps } from '../../saml/idp/idps.service.js';
import type { Reply } from '../../web/cookies.js';
import type { HttpRequest } from '../../web/http-request.js';
import type { signInQuery } from '../form/forms.schema.js';
import { PageForms } from '../form/page-forms.service.js';
import { PlainHttpWarning } from './plain-http-warning.service.js';
import type { SignInFields } from './sign-in-page.js';

const BROWSER_BYTES = 32;
const BROWSER = /^[\w-]{43}$/;

type SignInQuery = InferOutput<typeof signInQuery>;

/** Creates the sign-in form, which is bound to its browser by the sign-in cookie. */
@Injectable()
export class SignInForms {
  constructor(
    private readonly forms: PageForms,
    private readonly idps: Idps,
    private readonly cookies: AuthCookies,
    private readonly plainHttp: PlainHttpWarning,
    private readonly passwords: PasswordProperties,
    private readonly random: Random,
  ) {}

  /** Sets the sign-in cookie if it is missing, and warns of an address at which the browser does not keep it. */
  create(query: SignInQuery, request: HttpRequest, reply: Reply): SignInFields {
    // A browser that sent the cookie keeps cookies.
    const isLost = reply.cookies[SIGN_IN_FORM] === undefined && this.plainHttp.isCookieLost(request);
    const alert = isLost ? this.plainHttp.alert() : undefined;
    return { ...this.fields(this.browserOf(reply), query), ...withoutUndefined({ alert }) };
  }

  /** Creates the form that is shown again after an error; the browser keeps its sign-in cookie. */
  createAgain(query: SignInQuery, reply: Reply): SignInFields {
    return this.fields(reply.cookies[SIGN_IN_FORM] ?? '', query);
  }

  private fields(browser: string, { return_to: returnTo, again }: SignInQuery): SignInFields {
    return {
      ...this.forms.forBrowser(SIGN_IN_PAGE, browser, returnTo),
      minLength: this.passwords.minLength,
      idps: this.idps.list(),
      ...withoutUndefined({ again }),
    };
  }

  /** The value of the cookie that binds the form to its browser. */
  private browserOf(reply: Reply): string {
    const known = reply.cookies[SIGN_IN_FORM];
    if (known !== undefined && BROWSER.test(known)) return known;
    const created = this.random.text(BROWSER_BYTES);
    this.cookies.setSignInForm(reply, created);
    return created;
  }
}
