import { Injectable } from '@nestjs/common';
import { type Client, GRANT_TYPES, type GrantType, SCOPES } from '../../../identity/client/client.js';
import { audienceOf } from '../authorize/authorization-request.js';
import { listOf, type Parameters } from '../authorize/parameters.js';
import { CodeGrant } from '../code/code-grant.service.js';
import { namedScopes } from '../granted-scope.js';
import { OAuthError } from '../oauth-error.js';
import { RefreshGrant } from './refresh-grant.service.js';
import { type TokenResponse, TokenResponses } from './token-responses.service.js';

/** Exchanges what a client presents for tokens, by its grant type. */
@Injectable()
export class Grants {
  constructor(
    private readonly codes: CodeGrant,
    private readonly refreshes: RefreshGrant,
    private readonly responses: TokenResponses,
  ) {}

  /** @throws OAuthError */
  async exchange(parameters: Parameters, client: Client): Promise<TokenResponse> {
    switch (grantTypeOf(parameters, client)) {
      case 'authorization_code':
        return this.byCode(parameters, client);
      case 'refresh_token':
        return this.byRefreshToken(parameters, client);
      case 'client_credentials':
        return this.responses.issueToClient(client, audienceOf(parameters, client), scopesOfClient(parameters, client));
    }
  }

  private async byCode(parameters: Parameters, client: Client): Promise<TokenResponse> {
    const granted = await this.codes.redeem(parameters, client);
    return this.responses.issue(client, granted);
  }

  private async byRefreshToken(parameters: Parameters, client: Client): Promise<TokenResponse> {
    const granted = await this.refreshes.refresh(parameters, client);
    return this.responses.issue(client, granted, narrowed(parameters, granted.session.application?.scope ?? ''));
  }
}

function grantTypeOf(parameters: Parameters, { grantTypes, isPublic }: Client): GrantType {
  const written = parameters.get('grant_type');
  if (written === undefined) throw new OAuthError('invalid_request', 'grant_type is missing');
  const known = GRANT_TYPES.find((type) => type === written);
  if (!known) throw new OAuthError('unsupported_grant_type', 'grant_type is unknown');
  const isUsable = grantTypes.has(known) && !(isPublic && known === 'client_credentials');
  if (!isUsable) throw new OAuthError('unauthorized_client', 'the application may not use this grant_type');
  return known;
}

/** The requested scopes of a refresh, which must be among the granted ones (RFC 6749 section 6). */
function narrowed(parameters: Parameters, scope: string): readonly string[] {
  const granted = namedScopes(scope);
  const written = parameters.get('scope');
  if (written === undefined) return granted;
  const requested = listOf(written);
  if (requested.every((name) => granted.includes(name))) return requested;
  throw new OAuthError('invalid_scope', 'scope has more than was granted');
}

/** Without a user, the scopes of OpenID Connect mean nothing. */
function scopesOfClient(parameters: Parameters, { scopes }: Client): readonly string[] {
  return listOf(parameters.get('scope')).filter(
    (name) => scopes.has(name) && !SCOPES.some((ofUser) => ofUser === name),
  );
}
