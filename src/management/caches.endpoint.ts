import { CacheRegistry, type NamedCache } from '../platform/cache/cache-registry.js';
import { ServiceError } from '../kernel/errors/service-error.js';
import { ManagementEndpoint } from './dispatch/management-endpoint.decorator.js';
import { type Endpoint, NOT_FOUND, type Operation, type OperationRequest, type Result } from './dispatch/operation.js';

const CLEARED: Result = {};

/** `{management_base}/caches`: lists and clears caches (management API, "caches"). */
@ManagementEndpoint()
export class CachesEndpoint implements Endpoint {
  readonly id = 'caches';

  readonly operations: readonly Operation[] = [
    { method: 'GET', pathTemplate: '', run: () => ({ body: { cacheManagers: this.byManager() } }) },
    { method: 'DELETE', pathTemplate: '', produces: [], run: () => this.clearAll() },
    { method: 'GET', pathTemplate: '{cache}', queryParameters: ['cacheManager'], run: (request) => this.read(request) },
    {
      method: 'DELETE',
      pathTemplate: '{cache}',
      queryParameters: ['cacheManager'],
      produces: [],
      run: (request) => this.clear(request),
    },
  ];

  constructor(private readonly registry: CacheRegistry) {}

  private byManager(): object {
    const managers = Map.groupBy(this.registry.all, ({ manager }) => manager);
    return Object.fromEntries(
      Array.from(managers, ([manager, caches]) => [
        manager,
        { caches: Object.fromEntries(caches.map(({ name, target }) => [name, { target }])) },
      ]),
    );
  }

  private async clearAll(): Promise<Result> {
    for (const cache of this.registry.all) await cache.clear();
    return CLEARED;
  }

  private read(request: OperationRequest): Result {
    const cache = this.one(request);
    if (!cache) return NOT_FOUND;
    const { target, name, manager } = cache;
    return { body: { target, name, cacheManager: manager } };
  }

  private async clear(request: OperationRequest): Promise<Result> {
    const cache = this.one(request);
    if (!cache) return NOT_FOUND;
    await cache.clear();
    return CLEARED;
  }

  /** @throws ServiceError `VALIDATION_FAILED` if several cache managers have a cache of that name */
  private one({ selector, query }: OperationRequest): NamedCache | undefined {
    const [first, ...others] = this.registry.named(selector, query.get('cacheManager') ?? undefined);
    if (others.length === 0) return first;
    throw new ServiceError('VALIDATION_FAILED', { errors: [{ field: 'cacheManager', code: 'required' }] });
  }
}
