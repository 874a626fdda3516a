import { Body, Controller, Delete, Get, HttpCode, Post } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { Accounts } from '../../../identity/account/accounts.service.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { Caller, OpenToAllowedOrigins, Public, SignInRoute } from '../../../kernel/principal/access.decorator.js';
import { Res, type CookieValues, Cookies, type Reply } from '../../../platform/web/cookies.js';
import { type FullPrincipal, ROLE_PRE_MFA } from '../../../kernel/principal/principal.js';
import { ApiTag, HashesPassword, Operation, ResponseSchema } from '../../../platform/web/route.decorator.js';
import { Sessions } from '../../../identity/session/sessions.service.js';
import { toAuthoritiesBody, toMeBody, toChallengeBody } from './presenters.js';
import { sessionResponse, sessionStateResponse } from './responses.schema.js';
import { AuthCookies, SESSION } from '../cookies.js';
import { loginSchema } from './login.schema.js';
import { END_SESSION, OPEN_SESSION, SHOW_SESSION } from './auth.openapi.js';
import { PortalLogin } from '../login/portal-login.service.js';
import { toPrincipal } from '../strategies/session-principal.js';
import { RateLimited } from '../../../platform/rate-limit/rate-limited.decorator.js';

/** The session of the web portal, with roles in place of tokens (http-api section 5). */
@ApiTag('Portal session', 'For the web portal: a cookie in place of tokens.')
@RateLimited('sign-in')
@OpenToAllowedOrigins()
@Controller('session')
export class SessionController {
  constructor(
    private readonly login: PortalLogin,
    private readonly sessions: Sessions,
    private readonly accounts: Accounts,
    private readonly cookies: AuthCookies,
  ) {}

  @Public()
  @SignInRoute()
  @Post()
  @HashesPassword()
  @HttpCode(200)
  @Operation(OPEN_SESSION)
  @ResponseSchema(sessionResponse)
  async open(
    @Body({ schema: loginSchema }) body: InferOutput<typeof loginSchema>,
    @Res() reply: Reply,
  ): Promise<InferOutput<typeof sessionResponse>> {
    const { next, methods, needsAccessCode, session, roles } = await this.login.signIn(
      { id: body.id, pw: body.pw, newPw: body.new_pw },
      reply,
    );
    if (next === 'none') {
      return {
        mfa_required: false,
        ...toAuthoritiesBody(toPrincipal(session, 'session', roles)),
        amr: session.amr,
      };
    }
    const expiresIn = session.expiresAt - session.createdAt;
    return {
      mfa_required: true,
      authorities: [ROLE_PRE_MFA],
      expires_in: expiresIn,
      ...toChallengeBody({ next, methods, needsAccessCode }),
    };
  }

  @RateLimited('self-service')
  @Get()
  @Operation(SHOW_SESSION)
  @ResponseSchema(sessionStateResponse)
  async show(@Caller() caller: FullPrincipal): Promise<InferOutput<typeof sessionStateResponse>> {
    const account = await this.accounts.find(caller.subject);
    if (!account) throw new ServiceError('INVALID_TOKEN', { reason: 'account gone' });
    return { ...toMeBody(caller, account), ...toAuthoritiesBody(caller) };
  }

  @Public()
  @SignInRoute()
  @RateLimited('self-service')
  @Delete()
  @HttpCode(204)
  @Operation(END_SESSION)
  async end(@Cookies() cookies: CookieValues, @Res() reply: Reply): Promise<void> {
    const secret = cookies[SESSION];
    if (secret !== undefined) await this.sessions.endBySecret(secret);
    this.cookies.clearSession(reply);
  }
}
