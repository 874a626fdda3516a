import { Injectable } from '@nestjs/common';
import { Clients } from '../../../identity/client/clients.service.js';
import { signsUsersIn } from '../../../identity/client/client.js';
import { UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import { OAuthError } from '../oauth-error.js';
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
  read({ parameters, target }: LocatedRequest): AuthorizationRequest {
    return authorizationRequest(parameters, target, this.properties.requirePkce);
  }

  private clientOf(parameters: Parameters): ReturnType<Clients['find']> {
    const id = parameters.get('client_id');
    const client = id === undefined ? undefined : this.clients.find(id);
    // The ID token names the client as it is configured, and the application compares that with its own id.
    return client?.id === id && client !== undefined && signsUsersIn(client) ? client : undefined;
  }
}
