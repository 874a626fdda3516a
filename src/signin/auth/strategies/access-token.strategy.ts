import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { FullPrincipal } from '../../../kernel/principal/principal.js';
import { Sessions } from '../../../identity/session/sessions.service.js';
import { LOGIN_API, RESOURCE_API } from '../../../kernel/principal/audience.js';
import { AccessTokens } from '../../../identity/token/access-tokens.service.js';
import { TokenProperties } from '../../../identity/token/token.properties.js';
import { parseBearer } from '../../../platform/web/authorization-header.js';
import { hasMfaTokenType } from '../guards/bearer.js';
import { CredentialStrategy, invalidToken, type RequestCredentials, type StrategyName } from './credential.strategy.js';
import { toPrincipal } from './session-principal.js';

const NAME: StrategyName = 'access-token';

/** Authenticates by an access token in `Authorization`; every other content of that header is invalid, too. */
@Injectable()
export class AccessTokenStrategy extends PassportStrategy(CredentialStrategy, NAME) {
  constructor(
    private readonly accessTokens: AccessTokens,
    private readonly properties: TokenProperties,
    private readonly sessions: Sessions,
  ) {
    super();
  }

  /** @throws ServiceError `INVALID_TOKEN` */
  override async validate({
    authorization,
    acceptsApiToken = false,
  }: RequestCredentials): Promise<FullPrincipal | undefined> {
    if (authorization === undefined) return undefined;
    const token = parseBearer(authorization);
    if (token === undefined) throw invalidToken('no bearer token');
    if (hasMfaTokenType(token)) return undefined;
    const claims = await this.accessTokens.verify(token);
    if (!claims) throw invalidToken('not an access token of ours');
    if (!this.accepts(claims.audience, acceptsApiToken)) throw invalidToken('other audience');
    const session = await this.sessions.find(claims.sid);
    if (session?.subject !== claims.subject) throw invalidToken('session ended');
    // Whatever its audience is: here it could turn the session of an application into that of a browser.
    if (session.application) throw invalidToken('other audience');
    await this.sessions.touch(session);
    return toPrincipal({ ...claims, id: claims.sid }, 'token', claims.roles);
  }

  private accepts(audience: string, acceptsApiToken: boolean): boolean {
    return (
      audience === LOGIN_API || (audience === RESOURCE_API && (acceptsApiToken || this.properties.acceptResourceApi))
    );
  }
}
