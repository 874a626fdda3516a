import { Injectable } from '@nestjs/common';
import { type HealthComponent, isComposite } from '../../observability/health/health-components.js';
import type { Operator } from '../../kernel/principal/operator.js';
import { JSON_V2 } from '../dispatch/negotiation.js';
import { NOT_FOUND, type Result } from '../dispatch/operation.js';
import { filterComponents, findComponent } from './component-tree.js';
import { HealthChecks } from './health-checks.service.js';
import { aggregate, type HealthReport, toHealthBody, visibilityFor } from './health-report.js';
import { type HealthScope, isInScope } from './health-scope.js';
import { EnabledComponents } from './enabled-components.service.js';
import { httpStatusOf, type StatusRules } from './status.js';

/** The caller, and the media type of the response. */
export interface HealthQuery {
  readonly operator: Operator | undefined;
  readonly mediaType: string;
}

/** Runs the checks of a scope and reduces the report to what the caller may see. */
@Injectable()
export class HealthEvaluator {
  constructor(
    private readonly components: EnabledComponents,
    private readonly checks: HealthChecks,
  ) {}

  /** All components of a scope; `extra` members end the body. */
  async overall(
    scope: HealthScope,
    query: HealthQuery,
    extra: Readonly<Record<string, unknown>> = {},
  ): Promise<Result> {
    return this.respond(await this.reportOf(this.membersOf(scope), scope.statuses), scope, query, extra);
  }

  /** A group without members does not exist, unless it names a component whose subject is not configured. */
  async group(scope: HealthScope, query: HealthQuery): Promise<Result> {
    const { include } = scope.membership;
    const exists =
      this.membersOf(scope).length > 0 || this.components.unconfigured.some((name) => include.includes(name));
    return exists ? this.overall(scope, query) : NOT_FOUND;
  }

  /** One component of a scope, by its path, such as `stores/main`. */
  async component(scope: HealthScope, path: readonly string[], query: HealthQuery): Promise<Result> {
    if (!visibilityFor(scope.visibility, query.operator).components) return NOT_FOUND;
    const component = findComponent(this.membersOf(scope), path);
    if (!component) return NOT_FOUND;
    return this.respond(await this.reportOfOne(component, scope.statuses), scope, query);
  }

  private membersOf(scope: HealthScope): readonly HealthComponent[] {
    return filterComponents(this.components.all, (path, isExternal) => isInScope(scope, path, isExternal));
  }

  private async reportOf(components: readonly HealthComponent[], rules: StatusRules): Promise<HealthReport> {
    const reports = await Promise.all(
      components.map(async (component) => [component.name, await this.reportOfOne(component, rules)] as const),
    );
    return aggregate(new Map(reports), rules);
  }

  private reportOfOne(component: HealthComponent, rules: StatusRules): Promise<HealthReport> {
    return isComposite(component) ? this.reportOf(component.parts, rules) : this.checks.check(component);
  }

  private respond(
    report: HealthReport,
    { visibility, statuses }: HealthScope,
    { operator, mediaType }: HealthQuery,
    extra: Readonly<Record<string, unknown>> = {},
  ): Result {
    const componentsAs = mediaType === JSON_V2 ? 'details' : 'components';
    const body = { ...toHealthBody(report, visibilityFor(visibility, operator), componentsAs), ...extra };
    return { status: httpStatusOf(report.status, statuses), body };
  }
}
