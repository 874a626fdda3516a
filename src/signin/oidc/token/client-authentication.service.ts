import { Injectable } from '@nestjs/common';
import { GuessThrottle } from '../../../identity/account/throttle/guess-throttle.service.js';
import type { Client } from '../../../identity/client/client.js';
import { Clients } from '../../../identity/client/clients.service.js';
import { parseClientCredentials } from '../../auth/guards/bearer.js';
import type { Parameters } from '../authorize/parameters.js';
import { OAuthError } from '../oauth-error.js';

/** Authenticates clients (RFC 6749 section 2.3): by HTTP Basic, by the form, or by nothing if they are public. */
@Injectable()
export class ClientAuthentication {
  constructor(
    private readonly clients: Clients,
    private readonly throttle: GuessThrottle,
  ) {}

  /** @throws OAuthError `invalid_client`; ServiceError `RATE_LIMITED` after many wrong secrets */
  async authenticate(authorization: string | undefined, parameters: Parameters): Promise<Client> {
    const named = parameters.get('client_id');
    const secret = parameters.get('client_secret');
    if (authorization !== undefined) {
      const basic = parseClientCredentials(authorization);
      if (!basic || secret !== undefined) throw invalidClient();
      if (named !== undefined && this.clients.idOf(named) !== this.clients.idOf(basic.name)) throw invalidClient();
      return this.bySecret(basic.name, basic.secrets);
    }
    if (named === undefined) throw invalidClient();
    if (secret !== undefined) return this.bySecret(named, [secret]);
    const client = this.clients.find(named);
    if (!client?.isPublic) throw invalidClient();
    return client;
  }

  private async bySecret(name: string, secrets: readonly string[]): Promise<Client> {
    const isRight = await this.throttle.guard(
      { client: this.clients.idOf(name) },
      () => Promise.resolve(this.clients.hasSecret(name, ...secrets)),
      (right) => right,
    );
    const client = isRight ? this.clients.find(name) : undefined;
    if (!client) throw invalidClient();
    return client;
  }
}

function invalidClient(): OAuthError {
  return new OAuthError('invalid_client', 'the client is unknown or did not authenticate', 401);
}
