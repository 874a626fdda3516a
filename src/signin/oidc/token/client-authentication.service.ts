import { Injectable } from '@nestjs/common';
import { GuessThrottle } from '../../../identity/account/throttle/guess-throttle.service.js';
import type { Client } from '../../../identity/client/client.js';
import { Clients } from '../../../identity/client/clients.service.js';
import { parseClientCredentials } from '../../auth/guards/bearer.js';
import { ClientAssertions } from './client-assertions.service.js';
import type { Parameters } from '../authorize/parameters.js';
import { OAuthError } from '../oauth-error.js';

/** RFC 7523 section 2.2. */
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/**
 * Authenticates clients (RFC 6749 section 2.3): by HTTP Basic, by the form, by a signed token (RFC 7523), or by nothing if they
 * are public.
 */
@Injectable()
export class ClientAuthentication {
  constructor(
    private readonly clients: Clients,
    private readonly assertions: ClientAssertions,
    private readonly throttle: GuessThrottle,
  ) {}

  /** @throws OAuthError `invalid_client`; ServiceError `RATE_LIMITED` after many wrong secrets */
  async authenticate(authorization: string | undefined, parameters: Parameters): Promise<Client> {
    const named = parameters.get('client_id');
    const secret = parameters.get('client_secret');
    if (authorization !== undefined) {
      const basic = parseClientCredentials(authorization);
      if (!basic || secret !== undefined || parameters.has('client_assertion')) throw invalidClient();
      if (named !== undefined && this.clients.idOf(named) !== this.clients.idOf(basic.name)) throw invalidClient();
      return this.bySecret(basic.name, basic.secrets);
    }
    const assertion = parameters.get('client_assertion');
    if (assertion !== undefined) return this.byAssertion(assertion, parameters);
    if (named === undefined) throw invalidClient();
    if (secret !== undefined) return this.bySecret(named, [secret]);
    const client = this.clients.find(named);
    if (!client?.isPublic) throw invalidClient();
    return client;
  }

  private async byAssertion(assertion: string, parameters: Parameters): Promise<Client> {
    if (parameters.get('client_assertion_type') !== ASSERTION_TYPE || parameters.has('client_secret'))
      throw invalidClient();
    const named = parameters.get('client_id');
    const client = this.clients.find(named ?? subjectOf(assertion));
    if (!client || !(await this.assertions.use(client, assertion))) throw invalidClient();
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

/** The client that an unverified token names. */
function subjectOf(assertion: string): string {
  try {
    const claims: unknown = JSON.parse(Buffer.from(assertion.split('.')[1] ?? '', 'base64url').toString());
    return typeof claims === 'object' && claims !== null && 'sub' in claims ? String(claims.sub) : '';
  } catch {
    return '';
  }
}

function invalidClient(): OAuthError {
  return new OAuthError('invalid_client', 'the client is unknown or did not authenticate', 401);
}
