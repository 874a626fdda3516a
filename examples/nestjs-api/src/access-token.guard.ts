import { type CanActivate, type ExecutionContext, Injectable, UnauthorizedException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type AccessTokenClaims, AccessTokens } from './access-tokens.js';

export interface AuthenticatedRequest extends FastifyRequest {
  claims: AccessTokenClaims;
}

/** Admits requests with an access token for this API. */
@Injectable()
export class AccessTokenGuard implements CanActivate {
  constructor(private readonly accessTokens: AccessTokens) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const [, token] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    if (token === undefined) return challenge(context, 'Bearer');
    try {
      request.claims = await this.accessTokens.verify(token);
      return true;
    } catch {
      return challenge(context, 'Bearer error="invalid_token"');
    }
  }
}

/** Rejects a request, and tells the client what it lacks. */
export function challenge(context: ExecutionContext, wwwAuthenticate: string): never {
  void context.switchToHttp().getResponse<FastifyReply>().header('www-authenticate', wwwAuthenticate);
  throw new UnauthorizedException();
}
