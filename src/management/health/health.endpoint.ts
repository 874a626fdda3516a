import { Injectable } from '@nestjs/common';
import type { Endpoint, Operation, OperationRequest, Result } from '../dispatch/operation.js';
import { HealthAnswers } from './health-evaluator.service.js';
import { HealthGroups } from './health-groups.service.js';

/** How the service is, as a whole and in parts; its status is for everybody (management API, "health"). */
@Injectable()
export class HealthEndpoint implements Endpoint {
  readonly id = 'health';
  readonly isOpen = true;

  readonly operations: readonly Operation[] = [
    { method: 'GET', below: '', run: (request) => this.overall(request) },
    { method: 'GET', below: '{*path}', run: (request) => this.below(request) },
  ];

  constructor(
    private readonly groups: HealthGroups,
    private readonly answers: HealthAnswers,
  ) {}

  private overall(request: OperationRequest): Promise<Result> {
    const groups = this.groups.all.map(({ name }) => name);
    return this.answers.whole(this.groups.whole, request, groups.length > 0 ? { groups } : {});
  }

  /** The name of a group wins over that of a component. */
  private below(request: OperationRequest): Promise<Result> {
    const [first = '', ...rest] = request.selector.split('/');
    if (request.selector === '') return this.overall(request);
    const group = this.groups.named(first);
    if (!group) return this.answers.one(this.groups.whole, [first, ...rest], request);
    return rest.length === 0 ? this.answers.group(group, request) : this.answers.one(group, rest, request);
  }
}
