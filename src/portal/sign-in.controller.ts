import { Body, Controller, Get, Post, Query, UseGuards } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { AuthCookies, SIGN_IN_FORM } from '../auth/cookies.js';
import { secondFactorPage, SIGN_IN_PAGE } from '../auth/page-paths.js';
import { PortalEntry } from '../auth/portal-entry.service.js';
import type { ErrorCode } from '../errors/error-code.js';
import { Public } from '../principal/access.decorator.js';
import { Random } from '../random/random.js';
import { Idps } from '../saml/idps.service.js';
import { Answer, type Reply } from '../server/cookies.js';
import type { Markup } from '../server/markup.js';
import { ApiGroup, Operation } from '../server/openapi/operation.decorator.js';
import { ownPath } from '../server/return-to.js';
import { ServletProperties } from '../server/servlet.properties.js';
import { orAgain } from './again.js';
import { boundToBrowser } from './form-binding.js';
import { FormTokenGuard } from './form-token.guard.js';
import { FormTokens } from './form-tokens.service.js';
import { returnToShape, signInForm } from './forms.shapes.js';
import { SHOW_SIGN_IN, SIGN_IN } from './operations.js';
import { Page, SendsOn } from './page.decorator.js';
import { type SignInFacts, signInPage } from './sign-in-page.js';

const BROWSER_BYTES = 32;
const BROWSER = /^[\w-]{43}$/;
/** Refusals that the form itself tells. */
const TOLD: ReadonlySet<ErrorCode> = new Set(['INVALID_CREDENTIALS', 'RATE_LIMITED', 'VALIDATION_FAILED']);

/** The page to sign in, without script (http-api section 5). */
@Public()
@UseGuards(FormTokenGuard)
@ApiGroup('Pages')
@Controller(SIGN_IN_PAGE)
export class SignInController {
  private readonly contextPath: string;

  constructor(
    private readonly entry: PortalEntry,
    private readonly tokens: FormTokens,
    private readonly cookies: AuthCookies,
    private readonly random: Random,
    private readonly idps: Idps,
    { contextPath }: ServletProperties,
  ) {
    this.contextPath = contextPath;
  }

  @Get()
  @Page()
  @Operation(SHOW_SIGN_IN)
  show(
    @Query({ schema: returnToShape }) { return_to: returnTo }: InferOutput<typeof returnToShape>,
    @Answer() reply: Reply,
  ): string {
    return signInPage(this.facts(this.browserOf(reply), returnTo));
  }

  @Post()
  @SendsOn()
  @Operation(SIGN_IN)
  async signIn(
    @Body({ schema: signInForm }) { id, pw, return_to: asked }: InferOutput<typeof signInForm>,
    @Answer() reply: Reply,
  ): Promise<{ readonly url: string }> {
    const facts = this.facts(reply.cookies[SIGN_IN_FORM] ?? '', asked);
    const again = (alert: Markup): string => signInPage({ ...facts, id, alert });
    const { next } = await orAgain(TOLD, again, () => this.entry.enter({ id, pw }, reply));
    const { returnTo } = facts;
    return { url: next === 'none' ? returnTo : secondFactorPage(this.contextPath, next, returnTo) };
  }

  private facts(browser: string, returnTo: string | undefined): SignInFacts {
    const { contextPath } = this;
    return {
      contextPath,
      action: `${contextPath}${SIGN_IN_PAGE}`,
      csrf: this.tokens.issue(boundToBrowser(browser)),
      returnTo: ownPath(returnTo, contextPath),
      idps: this.idps.list(),
    };
  }

  /** The value of the cookie that ties the form to its browser, which gets one where it has none. */
  private browserOf(reply: Reply): string {
    const known = reply.cookies[SIGN_IN_FORM];
    if (known !== undefined && BROWSER.test(known)) return known;
    const made = this.random.text(BROWSER_BYTES);
    this.cookies.setSignInForm(reply, made);
    return made;
  }
}
