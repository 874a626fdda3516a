import { Injectable } from '@nestjs/common';
import { ServletProperties } from '../../http/server.properties.js';
import type { Principal } from '../../principal/principal.js';
import { ReturnTargets } from '../../web/return-targets.service.js';
import { browserBinding, callerBinding, FormTokens } from './form-tokens.service.js';
import type { FormFields } from './forms.js';

/** Creates the fields that every form of a page has, bound to the caller or to the browser. */
@Injectable()
export class PageForms {
  readonly contextPath: string;

  constructor(
    private readonly tokens: FormTokens,
    private readonly targets: ReturnTargets,
    { contextPath }: ServletProperties,
  ) {
    this.contextPath = contextPath;
  }

  /** A form for a signed-in user, which is sent to `path`. */
  forCaller(path: string, caller: Principal, returnTo?: string): FormFields {
    return this.fields(path, this.tokens.issue(callerBinding(caller), caller.kind === 'half'), returnTo);
  }

  /** A form for a visitor without a session, bound to the value of the sign-in cookie. */
  forBrowser(path: string, cookie: string, returnTo?: string): FormFields {
    return this.fields(path, this.tokens.issue(browserBinding(cookie)), returnTo);
  }

  /** True if the token is that of a form for this caller. */
  isFrom(caller: Principal, csrf: string): boolean {
    return this.tokens.isValid(csrf, callerBinding(caller));
  }

  /** Where the flow ends. */
  returnTarget(returnTo: string | undefined): string {
    return this.targets.resolve(returnTo);
  }

  private fields(path: string, csrf: string, returnTo: string | undefined): FormFields {
    return { action: `${this.contextPath}${path}`, csrf, returnTo: this.returnTarget(returnTo) };
  }
}
