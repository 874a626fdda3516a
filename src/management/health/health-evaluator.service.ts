import { Injectable } from '@nestjs/common';
import { type Health, type HealthComponent, isComposite } from '../../observability/health/health-components.js';
import type { Operator } from '../../kernel/principal/operator.js';
import { JSON_V2 } from '../dispatch/negotiation.js';
import { NOT_FOUND, type Result } from '../dispatch/operation.js';
import { filterComponents, findComponent, indicatorsOf } from './component-tree.js';
import { HealthChecks } from './health-checks.service.js';
import { aggregate, type HealthReport, toHealthBody, visibilityFor } from './health-report.js';
import { type HealthScope, isInScope } from './health-scope.js';
import { EnabledComponents } from './enabled-components.service.js';
import { DOWN, httpStatusOf, type StatusRules } from './status.js';

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
    const members = this.membersOf(scope);
    const found = await this.checks.checkAll(indicatorsOf(members));
    return this.respond(reportOf(members, found, scope.statuses), scope, query, extra);
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
    const found = await this.checks.checkAll(indicatorsOf([component]));
    return this.respond(reportOfOne(component, found, scope.statuses), scope, query);
  }

  private membersOf(scope: HealthScope): readonly HealthComponent[] {
    return filterComponents(this.components.all, (path, isExternal) => isInScope(scope, path, isExternal));
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

function reportOf(
  components: readonly HealthComponent[],
  found: ReadonlyMap<string, Health>,
  rules: StatusRules,
  above = '',
): HealthReport {
  const reports = components.map((component) => [component.name, reportOfOne(component, found, rules, above)] as const);
  return aggregate(new Map(reports), rules);
}

function reportOfOne(
  component: HealthComponent,
  found: ReadonlyMap<string, Health>,
  rules: StatusRules,
  above = '',
): HealthReport {
  const path = above + component.name;
  if (isComposite(component)) return reportOf(component.parts, found, rules, `${path}/`);
  return found.get(path) ?? { status: DOWN };
}
