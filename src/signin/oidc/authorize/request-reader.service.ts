import { Injectable } from '@nestjs/common';
import { Clients } from '../../../identity/client/clients.service.js';
import { signsUsersIn } from '../../../identity/client/client.js';
import { UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import { OAuthError } from '../oauth-error.js';
import { IdTokens } from '../token/id-tokens.service.js';
import { OidcProperties } from '../oidc.properties.js';
import {
  type AuthorizationRequest,
  authorizationRequest,
  responseTarget,
  type ResponseTarget,
} from './authorization-request.js';
import { type Parameters, parseParameters } from './parameters.js';
import type { StoredRequest } from './stored-request.js';
import { StoredRequestStore } from './stored-request.store.js';

/** A request whose client and redirect URI are known. */
export interface LocatedRequest {
  readonly target: ResponseTarget;
  readonly parameters: Parameters;
  readonly stored?: StoredRequest | undefined;
}

/** Reads authorization requests, also those that were stored before. */
@Injectable()
export class RequestReader {
  constructor(
    private readonly clients: Clients,
    private readonly requests: StoredRequestStore,
    private readonly idTokens: IdTokens,
    private readonly work: UnitOfWork,
    private readonly properties: OidcProperties,
  ) {}

  /** @throws OAuthError that must not be sent to the redirect URI */
  async locate(sent: Parameters): Promise<LocatedRequest> {
    const uri = sent.get('request_uri');
    const id = sent.get('client_id') ?? '';
    const stored = uri === undefined ? undefined : await this.work.single((tx) => this.requests.find(tx, uri, id));
    if (uri !== undefined && !stored)
      throw new OAuthError('invalid_request_uri', 'request_uri is unknown, used or expired');
    const parameters = stored ? parseParameters(stored.parameters) : sent;
    return { target: responseTarget(parameters, this.clientOf(parameters)), parameters, stored };
  }

  /** @throws OAuthError for the redirect URI */
  async read({ parameters, target }: LocatedRequest): Promise<AuthorizationRequest> {
    const request = authorizationRequest(parameters, target, this.properties.requirePkce);
    const token = parameters.get('id_token_hint');
    if (token === undefined) return request;
    const hint = await this.idTokens.verifyHint(token);
    if (hint?.sub === undefined)
      throw new OAuthError('invalid_request', 'id_token_hint is not an ID token of this service');
    return { ...request, hintedSubject: hint.sub };
  }

  private clientOf(parameters: Parameters): ReturnType<Clients['find']> {
    const id = parameters.get('client_id');
    const client = id === undefined ? undefined : this.clients.find(id);
    // The ID token names the client as it is configured, and the application compares that with its own id.
    return client?.id === id && client !== undefined && signsUsersIn(client) ? client : undefined;
  }
}
