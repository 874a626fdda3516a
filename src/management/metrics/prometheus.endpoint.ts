import { promisify } from 'node:util';
import Negotiator from 'negotiator';
import { Meters } from '../../observability/metrics/meters.js';
import { ManagementEndpoint } from '../dispatch/management-endpoint.decorator.js';
import type { Endpoint, Operation, OperationRequest, Result } from '../dispatch/operation.js';
import { exposition } from './exposition.js';

const TEXT = 'text/plain; version=0.0.4; charset=utf-8';
const OPEN_METRICS = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

/** `GET {management_base}/prometheus` (management API, "prometheus"). */
@ManagementEndpoint()
export class PrometheusEndpoint implements Endpoint {
  readonly id = 'prometheus';

  readonly operations: readonly Operation[] = [
    {
      method: 'GET',
      pathTemplate: '',
      queryParameters: ['includedNames'],
      readsHeaders: ['accept-encoding'],
      produces: [TEXT, OPEN_METRICS],
      run: (request) => this.scrape(request),
    },
  ];

  constructor(private readonly meters: Meters) {}

  private async scrape({ query, mediaType, headers }: OperationRequest): Promise<Result> {
    const names = query.getAll('includedNames').flatMap((list) => list.split(','));
    const included = new Set(names.map((name) => name.trim()).filter((name) => name !== ''));
    const text = exposition(this.meters.families, mediaType === OPEN_METRICS ? 'openmetrics' : 'text', included);
    const vary = { vary: 'Accept, Accept-Encoding' };
    if (new Negotiator({ headers }).encoding(['gzip', 'identity']) !== 'gzip') return { body: text, headers: vary };
    return { body: await gzipped(text), headers: { ...vary, 'content-encoding': 'gzip' } };
  }
}

/** Compresses off the event loop. */
async function gzipped(text: string): Promise<Buffer> {
  const { gzip } = await import('node:zlib');
  return promisify(gzip)(text);
}
