import { Injectable } from '@nestjs/common';
import type { Endpoint, Operation, OperationRequest, Result } from '../dispatch/operation.js';
import { HealthEvaluator } from './health-evaluator.service.js';
import { HealthGroups } from './health-groups.service.js';

/** How the service is, as a whole and in parts; its status is for everybody (management API, "health"). */
@Injectable()
export class HealthEndpoint implements Endpoint {
  readonly id = 'health';
  readonly isPublic = true;

  readonly operations: readonly Operation[] = [
    { method: 'GET', pathTemplate: '', run: (request) => this.overall(request) },
    { method: 'GET', pathTemplate: '{*path}', run: (request) => this.below(request) },
  ];

  constructor(
    private readonly groups: HealthGroups,
    private readonly answers: HealthEvaluator,
  ) {}

  private overall(request: OperationRequest): Promise<Result> {
    const groups = this.groups.all.map(({ name }) => name);
    return this.answers.overall(this.groups.overall, request, groups.length > 0 ? { groups } : {});
  }

  /** The name of a group wins over that of a component. */
  private below(request: OperationRequest): Promise<Result> {
    const [first = '', ...rest] = request.selector.split('/');
    if (request.selector === '') return this.overall(request);
    const group = this.groups.find(first);
    if (!group) return this.answers.component(this.groups.overall, [first, ...rest], request);
    return rest.length === 0 ? this.answers.group(group, request) : this.answers.component(group, rest, request);
  }
}
