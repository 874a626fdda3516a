import { Controller, Get, HttpCode } from '@nestjs/common';
import { RESUME_PAGE, SIGN_IN_PAGE, SIGN_OUT_PATH } from '../../../signin/auth/page-paths.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import type { Account } from '../../../identity/account/account.js';
import type { View } from '../../../platform/http/page/view.js';
import { PageRoute, Public } from '../../../kernel/principal/access.decorator.js';
import { hasOtp, hasSecondFactor, isPhishingResistant } from '../../../kernel/principal/amr.js';
import type { FullPrincipal } from '../../../kernel/principal/principal.js';
import { Res, type Reply } from '../../../platform/web/cookies.js';
import { ApiTag, ErrorPages, Operation } from '../../../platform/web/route.decorator.js';
import { PageForms } from '../form/page-forms.service.js';
import { Page, type PageResult } from '../page.decorator.js';
import { RESUME, SHOW_HOME } from '../portal.openapi.js';
import { homePage, type SignInMethod, unfinishedPage } from './home-page.js';
import { Navigation } from './navigation.service.js';
import { SecondFactorSummaries } from './second-factor-summaries.service.js';
import { Visitors } from './visitors.service.js';
import { RateLimited } from '../../../platform/rate-limit/rate-limited.decorator.js';

/** The home page. */
@Public()
@ApiTag('Pages', 'For users, in HTML.')
@RateLimited('self-service')
@Controller()
export class HomeController {
  constructor(
    private readonly visitors: Visitors,
    private readonly forms: PageForms,
    private readonly navigation: Navigation,
    private readonly summaries: SecondFactorSummaries,
  ) {}

  /** A visitor without a session is redirected to the sign-in page. */
  @Get()
  @Page()
  @Operation(SHOW_HOME)
  async show(@Res() reply: Reply): Promise<PageResult> {
    const { contextPath } = this.forms;
    const found = await this.visitors.findWithAccount(reply);
    if (!found) {
      reply.seeOther(`${contextPath}${SIGN_IN_PAGE}`);
      return '';
    }
    const { visitor, account } = found;
    if (visitor.kind === 'full') return this.home(visitor, account);
    const { loginId, path } = this.visitors.unfinished(found, `${contextPath}/`);
    return unfinishedPage(loginId, path, this.forms.forCaller(SIGN_OUT_PATH, visitor));
  }

  /** Target after "Back" to an identity provider, whose second response is rejected: the browser is signed in already. */
  @Get(RESUME_PAGE)
  @HttpCode(204)
  @PageRoute()
  @ErrorPages(SIGN_IN_PAGE)
  @Operation(RESUME)
  async resume(@Res() reply: Reply): Promise<void> {
    if (await this.visitors.findSignedIn(reply)) reply.seeOther(`${this.forms.contextPath}/`);
  }

  private async home(caller: FullPrincipal, { loginId, displayName }: Account): Promise<View> {
    const { policy, passkeyPolicy, organisation, ...secondFactor } = await this.summaries.of(caller);
    const isHere = organisation === undefined || secondFactor.isActive;
    return homePage({
      navigation: this.navigation.for(caller, 'home'),
      loginId,
      method: methodOf(caller, organisation),
      ...withoutUndefined({
        displayName,
        ...{ signedInAt: caller.authTime, secondFactorAt: caller.mfaAt, policy, passkeyPolicy },
        secondFactor: isHere ? secondFactor : undefined,
      }),
    });
  }
}

function methodOf({ amr, mfaMethod }: FullPrincipal, organisation: string | undefined): SignInMethod {
  if (organisation !== undefined) return { kind: 'idp', organisation, hasSecondFactor: hasSecondFactor(amr) };
  if (isPhishingResistant(amr)) return { kind: 'passkey', isAlone: !amr.includes('pwd') };
  if (!hasOtp(amr)) return { kind: 'password' };
  return { kind: mfaMethod === 'backup_code' ? 'backup_code' : 'totp' };
}
