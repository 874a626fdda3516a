import { ServiceError } from '../../kernel/errors/service-error.js';
import { Meters } from '../../observability/metrics/meters.js';
import { ManagementEndpoint } from '../dispatch/management-endpoint.decorator.js';
import { type Endpoint, NOT_FOUND, type Operation, type Result } from '../dispatch/operation.js';
import { drillDown, type TagFilter, parseTag } from './drill-down.js';

/** `GET {management_base}/metrics` and one of them (management API, "metrics"). */
@ManagementEndpoint()
export class MetricsEndpoint implements Endpoint {
  readonly id = 'metrics';

  readonly operations: readonly Operation[] = [
    { method: 'GET', pathTemplate: '', run: () => this.names() },
    {
      method: 'GET',
      pathTemplate: '{requiredMetricName}',
      queryParameters: ['tag'],
      run: ({ selector, query }) => this.one(selector, query.getAll('tag').map(requiredTag)),
    },
  ];

  constructor(private readonly meters: Meters) {}

  /** Names that have series. */
  private names(): Result {
    const families = [...this.meters.families].filter(({ series }) => series.length > 0);
    return { body: { names: families.map(({ name }) => name).toSorted() } };
  }

  private one(name: string, tags: readonly TagFilter[]): Result {
    const family = this.meters.find(name);
    const body = family && drillDown(family, tags);
    return body ? { body } : NOT_FOUND;
  }
}

function requiredTag(text: string): TagFilter {
  const tag = parseTag(text);
  if (!tag) throw new ServiceError('VALIDATION_FAILED', { errors: [{ field: 'tag', code: 'format' }] });
  return tag;
}
