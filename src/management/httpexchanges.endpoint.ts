import { HttpExchanges } from '../platform/http/records/http-exchanges.js';
import { ManagementEndpoint } from './dispatch/management-endpoint.decorator.js';
import type { Endpoint, Operation } from './dispatch/operation.js';

/** `GET {management_base}/httpexchanges`: the last requests and responses; it has no operation unless they are recorded. */
@ManagementEndpoint()
export class HttpExchangesEndpoint implements Endpoint {
  readonly id = 'httpexchanges';
  readonly operations: readonly Operation[];

  constructor(exchanges: HttpExchanges) {
    const run: Operation['run'] = () => ({ body: { exchanges: exchanges.all } });
    this.operations = exchanges.isRecording ? [{ method: 'GET', pathTemplate: '', run }] : [];
  }
}
