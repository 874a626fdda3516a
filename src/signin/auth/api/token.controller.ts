import { Body, Controller, Headers, HttpCode, Post } from '@nestjs/common';
import * as v from 'valibot';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { HttpError } from '../../../platform/http/errors/http-error.js';
import { Caller, OpenToAllowedOrigins, Public, SignInRoute } from '../../../kernel/principal/access.decorator.js';
import type { FullPrincipal } from '../../../kernel/principal/principal.js';
import { Res, type CookieValues, Cookies, type Reply } from '../../../platform/web/cookies.js';
import { FormBody, ApiTag, Operation, ResponseSchema } from '../../../platform/web/route.decorator.js';
import { refreshResponse } from './responses.schema.js';
import { AuthCookies, REFRESH_TOKEN } from '../cookies.js';
import { CredentialWriter } from '../credential-writer.service.js';
import { TokenIntrospection } from '../token-introspection.service.js';
import { introspectionResponse, introspectionSchema } from './introspection.schema.js';
import { INTROSPECT, LOGOUT, REFRESH, REVOKE } from './auth.openapi.js';
import { TokenRefresh } from '../token-refresh.service.js';
import { SessionRevocation } from '../session-revocation.service.js';
import { RateLimited } from '../../../platform/rate-limit/rate-limited.decorator.js';

/** Refresh, revocation and introspection of tokens (http-api section 2). */
@ApiTag('Tokens')
@OpenToAllowedOrigins()
@Controller()
export class TokenController {
  constructor(
    private readonly refreshes: TokenRefresh,
    private readonly credentials: CredentialWriter,
    private readonly sessionEnd: SessionRevocation,
    private readonly introspection: TokenIntrospection,
    private readonly cookies: AuthCookies,
  ) {}

  @Public()
  @SignInRoute()
  @RateLimited('self-service')
  @Post('token/refresh')
  @HttpCode(200)
  @Operation(REFRESH)
  @ResponseSchema(refreshResponse)
  async refresh(
    @Body({ schema: v.strictObject({}) }) _body: unknown,
    @Cookies() cookies: CookieValues,
    @Res() reply: Reply,
  ): Promise<v.InferOutput<typeof refreshResponse>> {
    const { opened, roles } = await this.refreshes.refresh(cookies[REFRESH_TOKEN]);
    return { ...(await this.credentials.writeTokens(reply, opened, roles)), amr: opened.session.amr };
  }

  @Public()
  @SignInRoute()
  @RateLimited('self-service')
  @Post('token/revoke')
  @HttpCode(204)
  @Operation(REVOKE)
  async revoke(@Cookies() cookies: CookieValues, @Res() reply: Reply): Promise<void> {
    const refreshToken = cookies[REFRESH_TOKEN];
    if (refreshToken !== undefined) await this.sessionEnd.revokeByRefreshToken(refreshToken);
    this.cookies.clearAll(reply);
  }

  @RateLimited('self-service')
  @Post('logout')
  @HttpCode(204)
  @Operation(LOGOUT)
  async logout(@Caller() caller: FullPrincipal, @Res() reply: Reply): Promise<void> {
    await this.sessionEnd.revoke(caller.subject, caller.sid);
    this.cookies.clearAll(reply);
  }

  /** RFC 7662: only a live access token is active. */
  @Public()
  @SignInRoute()
  @FormBody()
  @Post('token/introspect')
  @HttpCode(200)
  @Operation({ ...INTROSPECT, body: introspectionSchema })
  @ResponseSchema(introspectionResponse)
  async introspect(
    @Headers('authorization') authorization: string | undefined,
    @Body() form: unknown,
  ): Promise<v.InferOutput<typeof introspectionResponse>> {
    if (!(await this.introspection.isClient(authorization))) {
      throw new HttpError('INVALID_CREDENTIALS', { reason: 'client', challenge: 'Basic realm="introspection"' });
    }
    const parsed = v.safeParse(introspectionSchema, form);
    if (!parsed.success) {
      throw new ServiceError('VALIDATION_FAILED', { errors: [{ field: 'token', code: 'required' }] });
    }
    return this.introspection.introspect(parsed.output.token);
  }
}
