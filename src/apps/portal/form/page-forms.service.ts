import { Injectable } from '@nestjs/common';
import { AuthCookies, SIGN_IN_FORM } from '../../../signin/auth/cookies.js';
import { SIGN_OUT_PATH, withReturnTo } from '../../../signin/auth/page-paths.js';
import { ServletProperties } from '../../../platform/http/server.properties.js';
import type { Principal } from '../../../kernel/principal/principal.js';
import { Random } from '../../../kernel/random/random.js';
import type { Reply } from '../../../platform/web/cookies.js';
import { ReturnTargets } from '../../../platform/web/return-targets.service.js';
import { browserBinding, callerBinding, FormTokens } from './form-tokens.service.js';
import type { FormFields } from './forms.js';

const BROWSER_BYTES = 32;
const BROWSER = /^[\w-]{43}$/;

/** Creates the fields that every form of a page has, bound to the caller or to the browser. */
@Injectable()
export class PageForms {
  readonly contextPath: string;

  constructor(
    private readonly tokens: FormTokens,
    private readonly targets: ReturnTargets,
    private readonly cookies: AuthCookies,
    private readonly random: Random,
    { contextPath }: ServletProperties,
  ) {
    this.contextPath = contextPath;
  }

  /** Fields of a form for a signed-in user, which is sent to `path`. */
  forCaller(path: string, caller: Principal, returnTo?: string): FormFields {
    return this.fields(path, this.tokens.issue(callerBinding(caller), caller.kind === 'half'), returnTo);
  }

  /** Fields of the form that signs the user out; of an unfinished sign-in, the next one leads to `returnTo`. */
  signOut(caller: Principal, returnTo?: string): FormFields {
    return this.forCaller(SIGN_OUT_PATH, caller, returnTo);
  }

  /** Fields of a form for a visitor without a session, bound to the value of the sign-in cookie. */
  forBrowser(path: string, cookie: string, returnTo?: string): FormFields {
    return this.fields(path, this.tokens.issue(browserBinding(cookie)), returnTo);
  }

  /** Fields of a form for a visitor without a session; sets the sign-in cookie if it is missing. */
  forVisitor(path: string, reply: Reply, returnTo?: string): FormFields {
    return this.forBrowser(path, this.browserOf(reply), returnTo);
  }

  /** True if the CSRF token belongs to a form of this caller. */
  isFrom(caller: Principal, csrf: string): boolean {
    return this.tokens.isValid(csrf, callerBinding(caller));
  }

  /** True if the CSRF token belongs to a form of a visitor without a session, in this browser. */
  isFromBrowser(reply: Reply, csrf: string): boolean {
    const cookie = reply.cookies[SIGN_IN_FORM];
    return cookie !== undefined && this.tokens.isValid(csrf, browserBinding(cookie));
  }

  /** Resolves the target of the redirect at the end of the flow. */
  returnTarget(returnTo: string | undefined): string {
    return this.targets.resolve(returnTo);
  }

  /** The value of the cookie that binds a form to its browser. */
  private browserOf(reply: Reply): string {
    const known = reply.cookies[SIGN_IN_FORM];
    if (known !== undefined && BROWSER.test(known)) return known;
    const created = this.random.text(BROWSER_BYTES);
    this.cookies.setSignInForm(reply, created);
    return created;
  }

  private fields(path: string, csrf: string, returnTo: string | undefined): FormFields {
    const action = this.contextPath + path;
    const target = this.returnTarget(returnTo);
    return { action, csrf, returnTo: target, address: withReturnTo(action, target) };
  }
}
