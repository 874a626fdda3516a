import { Body, Controller, Headers, HttpCode, Post, Req } from '@nestjs/common';
import * as v from 'valibot';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { HttpError } from '../../../platform/http/errors/http-error.js';
import {
  AlsoForResourceServers,
  Caller,
  OpenToAllowedOrigins,
  Public,
  SignInRoute,
} from '../../../kernel/principal/access.decorator.js';
import type { FullPrincipal } from '../../../kernel/principal/principal.js';
import { Res, type CookieValues, Cookies, type Reply } from '../../../platform/web/cookies.js';
import { FormBody, ApiTag, Operation, ResponseSchema } from '../../../platform/web/route.decorator.js';
import { refreshSchema } from './login.schema.js';
import { refreshResponse } from './responses.schema.js';
import { REFRESH_TOKEN } from '../cookies.js';
import { LOGIN_API } from '../../../kernel/principal/audience.js';
import type { HttpRequest } from '../../../platform/web/http-request.js';
import { TrustedOrigins } from '../guards/cross-site.guard.js';
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
    private readonly origins: TrustedOrigins,
  ) {}

  @Public()
  @SignInRoute()
  @RateLimited('self-service')
  @Post('token/refresh')
  @HttpCode(200)
  @Operation(REFRESH)
  @ResponseSchema(refreshResponse)
  async refresh(
    @Body({ schema: refreshSchema }) { resource }: v.InferOutput<typeof refreshSchema>,
    @Req() request: HttpRequest,
    @Res() reply: Reply,
  ): Promise<v.InferOutput<typeof refreshResponse>> {
    // With such a token, a script of an allowed origin could do by way of a cookie what the cookie itself does not permit.
    if (resource === LOGIN_API && this.origins.isForeign(request)) throw new ServiceError('CROSS_SITE');
    const { opened, roles } = await this.refreshes.refresh(reply.cookies[REFRESH_TOKEN]);
    return { ...(await this.credentials.writeTokens(reply, opened, roles, resource)), amr: opened.session.amr };
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
    this.credentials.clear(reply);
  }

  @RateLimited('self-service')
  @AlsoForResourceServers()
  @Post('logout')
  @HttpCode(204)
  @Operation(LOGOUT)
  async logout(@Caller() caller: FullPrincipal, @Res() reply: Reply): Promise<void> {
    await this.sessionEnd.revoke(caller.subject, caller.sid);
    this.credentials.clear(reply);
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
    const client = await this.introspection.clientOf(authorization);
    if (!client) {
      throw new HttpError('INVALID_CREDENTIALS', { reason: 'client', challenge: 'Basic realm="introspection"' });
    }
    const parsed = v.safeParse(introspectionSchema, form);
    if (!parsed.success) {
      throw new ServiceError('VALIDATION_FAILED', { errors: [{ field: 'token', code: 'required' }] });
    }
    return this.introspection.introspect(parsed.output.token, client);
  }
}
