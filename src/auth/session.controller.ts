import { Body, Controller, Delete, Get, HttpCode, Post } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { Accounts } from '../account/accounts.service.js';
import { ServiceError } from '../errors/service-error.js';
import { Caller, Public } from '../principal/access.decorator.js';
import { Answer, type CookieValues, Cookies, type Reply } from '../server/cookies.js';
import { type FullPrincipal, ROLE_PRE_MFA } from '../principal/principal.js';
import { Answers } from '../server/openapi/answers.decorator.js';
import { ApiGroup, Operation } from '../server/openapi/operation.decorator.js';
import { Sessions } from '../token/sessions.service.js';
import { authoritiesMember, meMembers, openMembers } from './answers.js';
import { sessionAnswer, sessionStateAnswer } from './answers.shapes.js';
import { AuthCookies, DEVICE, SESSION, TRUSTED_DEVICE } from './cookies.js';
import { Handover } from './handover.service.js';
import { LoginService } from './login.service.js';
import { loginShape } from './login.shapes.js';
import { END_SESSION, OPEN_SESSION, SHOW_SESSION } from './operations.js';
import { principalOf } from './session-principal.js';
import { type PasswordPassed, PasswordStep } from './password-step.service.js';

/** The web portal's session, the role-based arrangement of the specification (http-api section 5). */
@ApiGroup('Portal session', 'The arrangement of the web portal: a cookie in place of tokens.')
@Controller('session')
export class SessionController {
  constructor(
    private readonly passwordStep: PasswordStep,
    private readonly logins: LoginService,
    private readonly handover: Handover,
    private readonly sessions: Sessions,
    private readonly accounts: Accounts,
    private readonly cookies: AuthCookies,
  ) {}

  @Public()
  @Post()
  @HttpCode(200)
  @Operation(OPEN_SESSION)
  @Answers(sessionAnswer)
  async open(
    @Body({ schema: loginShape }) body: InferOutput<typeof loginShape>,
    @Cookies() cookies: CookieValues,
    @Answer() reply: Reply,
  ): Promise<InferOutput<typeof sessionAnswer>> {
    const { [DEVICE]: device, [TRUSTED_DEVICE]: trustedDevice } = cookies;
    const passed = await this.passwordStep.pass({ ...body, device }, trustedDevice);
    const completed = await this.logins.complete(passed, 'portal');
    if (!completed) return this.challenge(reply, passed);
    const { roles } = passed.account;
    const { opened } = completed;
    if (completed.trustedDevice) this.handover.trust(reply, completed.trustedDevice);
    await this.handover.give(reply, opened, roles, 'session');
    const { session } = opened;
    return {
      mfa_required: false,
      ...authoritiesMember(principalOf(session, 'session', roles)),
      amr: session.amr,
    };
  }

  @Get()
  @Operation(SHOW_SESSION)
  @Answers(sessionStateAnswer)
  async show(@Caller() caller: FullPrincipal): Promise<InferOutput<typeof sessionStateAnswer>> {
    const account = await this.accounts.find(caller.subject);
    if (!account) throw new ServiceError('INVALID_TOKEN', { reason: 'account gone' });
    return { ...meMembers(caller, account.loginId), ...authoritiesMember(caller) };
  }

  @Public()
  @Delete()
  @HttpCode(204)
  @Operation(END_SESSION)
  async end(@Cookies() cookies: CookieValues, @Answer() reply: Reply): Promise<void> {
    const secret = cookies[SESSION];
    if (secret !== undefined) await this.sessions.endBySecret(secret);
    this.cookies.clearSession(reply);
  }

  private async challenge(reply: Reply, passed: PasswordPassed): Promise<InferOutput<typeof sessionAnswer>> {
    const { session, secret } = await this.logins.challengeInPortal(passed);
    if (secret !== undefined) this.cookies.setSession(reply, secret);
    const expiresIn = session.expiresAt - session.createdAt;
    return { mfa_required: true, authorities: [ROLE_PRE_MFA], expires_in: expiresIn, ...openMembers(passed.next) };
  }
}
