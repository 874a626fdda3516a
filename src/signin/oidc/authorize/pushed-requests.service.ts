import { Injectable } from '@nestjs/common';
import type { Client } from '../../../identity/client/client.js';
import { UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import { OAuthError } from '../oauth-error.js';
import { type Parameters, writtenParameters } from './parameters.js';
import { RequestReader } from './request-reader.service.js';
import { REQUEST_SECONDS, StoredRequestStore } from './stored-request.store.js';

/** How a client has authenticated is not part of the request that it pushes. */
const OF_AUTHENTICATION = ['client_secret', 'client_assertion', 'client_assertion_type'];

/** Stores the requests that clients push (RFC 9126). */
@Injectable()
export class PushedRequests {
  constructor(
    private readonly reader: RequestReader,
    private readonly requests: StoredRequestStore,
    private readonly work: UnitOfWork,
  ) {}

  /** @throws OAuthError for a request that would be rejected later */
  async push(client: Client, sent: Parameters): Promise<{ readonly request_uri: string; readonly expires_in: number }> {
    if (sent.has('request_uri')) throw new OAuthError('invalid_request', 'request_uri cannot be pushed');
    const own = [...sent].filter(([name]) => !OF_AUTHENTICATION.includes(name));
    const parameters: Parameters = new Map([...own, ['client_id', client.id]]);
    await this.reader.read(await this.reader.locate(parameters));
    const uri = await this.work.single((tx) => this.requests.insert(tx, client.id, writtenParameters(parameters)));
    return { request_uri: uri, expires_in: REQUEST_SECONDS };
  }
}
