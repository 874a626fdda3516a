import { ManagementEndpoint } from '../dispatch/management-endpoint.decorator.js';
import type { Endpoint, Operation, OperationRequest, Result } from '../dispatch/operation.js';
import { HealthEvaluator } from './health-evaluator.service.js';
import { HealthGroups } from './health-groups.service.js';

/** The health of the service, overall and by component; the overall status is public (management API, "health"). */
@ManagementEndpoint()
export class HealthEndpoint implements Endpoint {
  readonly id = 'health';
  readonly isPublic = true;

  readonly operations: readonly Operation[] = [
    { method: 'GET', pathTemplate: '', run: (request) => this.overall(request) },
    { method: 'GET', pathTemplate: '{*path}', run: (request) => this.atPath(request) },
  ];

  constructor(
    private readonly groups: HealthGroups,
    private readonly evaluator: HealthEvaluator,
  ) {}

  private overall(request: OperationRequest): Promise<Result> {
    const groups = this.groups.all.map(({ name }) => name);
    return this.evaluator.overall(this.groups.overall, request, groups.length > 0 ? { groups } : {});
  }

  /** The name of a group takes precedence over that of a component. */
  private atPath(request: OperationRequest): Promise<Result> {
    const [first = '', ...rest] = request.selector.split('/');
    if (request.selector === '') return this.overall(request);
    const group = this.groups.find(first);
    if (!group) return this.evaluator.component(this.groups.overall, [first, ...rest], request);
    return rest.length === 0 ? this.evaluator.group(group, request) : this.evaluator.component(group, rest, request);
  }
}
