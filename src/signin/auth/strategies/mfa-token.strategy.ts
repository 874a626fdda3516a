import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import type { HalfPrincipal } from '../../../kernel/principal/principal.js';
import { MfaTokens } from '../../../identity/token/mfa-tokens.service.js';
import { parseBearer } from '../../../platform/web/authorization-header.js';
import { hasMfaTokenType } from '../guards/bearer.js';
import { CredentialStrategy, invalidToken, type RequestCredentials, type StrategyName } from './credential.strategy.js';

const NAME: StrategyName = 'mfa-token';

/** Authenticates by an `mfa_token` in `Authorization`, on the routes of the second factor only. */
@Injectable()
export class MfaTokenStrategy extends PassportStrategy(CredentialStrategy, NAME) {
  constructor(private readonly mfaTokens: MfaTokens) {
    super();
  }

  /** @throws ServiceError `MFA_TOKEN_INVALID`, and `INVALID_TOKEN` if the route does not accept an `mfa_token` */
  override async validate({
    authorization,
    acceptsMfaToken = false,
  }: RequestCredentials): Promise<HalfPrincipal | undefined> {
    const token = authorization === undefined ? undefined : parseBearer(authorization);
    if (token === undefined || !hasMfaTokenType(token)) return undefined;
    if (!acceptsMfaToken) throw invalidToken('mfa_token');
    const claims = await this.mfaTokens.verify(token);
    if (!claims) throw new ServiceError('MFA_TOKEN_INVALID', { reason: 'not an mfa_token of ours' });
    const { subject, jti: id, amr, securityStamp, expiresAt, issuedAt: authTime } = claims;
    return { kind: 'half', via: 'token', subject, id, amr, securityStamp, expiresAt, authTime };
  }
}
