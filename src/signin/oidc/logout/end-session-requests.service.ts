import { Injectable } from '@nestjs/common';
import type { Client } from '../../../identity/client/client.js';
import { Clients } from '../../../identity/client/clients.service.js';
import { isRedirectUri } from '../../../identity/client/redirect-uri.js';
import { ServletProperties } from '../../../platform/http/server.properties.js';
import { UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import { SIGN_IN_PAGE, SIGN_OUT_PATH, withReturnTo } from '../../auth/page-paths.js';
import { type Parameters, parseParameters, writtenParameters } from '../authorize/parameters.js';
import { StoredRequestStore } from '../authorize/stored-request.store.js';
import { withQuery } from '../authorize/with-query.js';
import { OAuthError } from '../oauth-error.js';
import { IdTokens } from '../token/id-tokens.service.js';

/** A valid request to end a session (OpenID Connect RP-Initiated Logout section 2). */
export interface EndSessionRequest {
  readonly parameters: Parameters;
  readonly client?: Client;
  /** The session and the user of the ID token that the application has sent. */
  readonly hint?: { readonly sid: string; readonly subject: string };
  /** Where the browser returns to. */
  readonly returnUri?: string;
}

/** Reads requests to end a session, also those that waited for the answer of the user. */
@Injectable()
export class EndSessionRequests {
  private readonly contextPath: string;

  constructor(
    private readonly clients: Clients,
    private readonly idTokens: IdTokens,
    private readonly stored: StoredRequestStore,
    private readonly work: UnitOfWork,
    { contextPath }: ServletProperties,
  ) {
    this.contextPath = contextPath;
  }

  /** @throws OAuthError */
  async read(sent: Parameters): Promise<EndSessionRequest> {
    const parameters = await this.parametersOf(sent);
    const token = parameters.get('id_token_hint');
    const claims = token === undefined ? undefined : await this.idTokens.verifyHint(token);
    if (token !== undefined && !claims)
      throw new OAuthError('invalid_request', 'id_token_hint is not an ID token of this service');
    const named = parameters.get('client_id');
    if (claims && named !== undefined && claims.aud !== named) {
      throw new OAuthError('invalid_request', 'client_id is not the application of id_token_hint');
    }
    const id = named ?? (claims ? String(claims.aud) : undefined);
    const client = id === undefined ? undefined : this.clients.find(id);
    if (id !== undefined && client?.id !== id)
      throw new OAuthError('invalid_request', 'client_id names no registered application');
    const hint = claims && { sid: String(claims['sid']), subject: String(claims.sub) };
    const returnUri = returnUriOf(parameters, client);
    return {
      parameters,
      ...(client && { client }),
      ...(hint && { hint }),
      ...(returnUri !== undefined && { returnUri }),
    };
  }

  /** Stores the request; returns the path at which it goes on. */
  async store({ parameters, client }: EndSessionRequest): Promise<string> {
    const id = client?.id ?? '';
    const uri = await this.work.single((tx) => this.stored.insert(tx, id, writtenParameters(parameters)));
    const query = new URLSearchParams({ ...(client && { client_id: id }), request_uri: uri });
    return `${this.contextPath}/end-session?${query.toString()}`;
  }

  /** The page that asks the user, which leads back to the request. */
  async confirmPath(request: EndSessionRequest): Promise<string> {
    return withReturnTo(this.contextPath + SIGN_OUT_PATH, await this.store(request));
  }

  /** Where the browser goes when the session has ended. */
  returnPath({ parameters, returnUri }: EndSessionRequest): string {
    const state = parameters.get('state');
    if (returnUri === undefined) return this.contextPath + SIGN_IN_PAGE;
    return state === undefined ? returnUri : withQuery(returnUri, { state });
  }

  private async parametersOf(sent: Parameters): Promise<Parameters> {
    const uri = sent.get('request_uri');
    if (uri === undefined) return sent;
    const found = await this.work.single((tx) => this.stored.find(tx, uri, sent.get('client_id') ?? ''));
    if (!found) throw new OAuthError('invalid_request_uri', 'request_uri is unknown, used or expired');
    return parseParameters(found.parameters);
  }
}

function returnUriOf(parameters: Parameters, client: Client | undefined): string | undefined {
  const requested = parameters.get('post_logout_redirect_uri');
  if (requested === undefined) return undefined;
  const isRegistered = client?.postLogoutRedirectUris.some((registered) => isRedirectUri(registered, requested));
  if (isRegistered) return requested;
  throw new OAuthError('invalid_request', 'post_logout_redirect_uri is not registered for the application');
}
