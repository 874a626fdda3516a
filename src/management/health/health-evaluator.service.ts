import { Injectable } from '@nestjs/common';
import { type HealthComponent, isComposite } from '../../health/indicator.js';
import type { Operator } from '../access/operator.js';
import { JSON_V2 } from '../dispatch/media-types.js';
import { NOT_FOUND, type Result } from '../dispatch/operation.js';
import { filterComponents, findComponent } from './component-tree.js';
import { HealthChecks } from './health-checks.service.js';
import { toHealthBody, type HealthReport, aggregate } from './health-report.js';
import { type HealthScope, isInScope } from './health-scope.js';
import { EnabledComponents } from './enabled-components.service.js';
import { httpStatusOf, type StatusRules } from './status.js';
import { visibilityFor } from './visibility.js';

/** Who asks, for what form of the answer. */
export interface HealthQuery {
  readonly operator: Operator | undefined;
  readonly mediaType: string;
}

/** Asks what a caller wants to know, and says what the caller may know. */
@Injectable()
export class HealthEvaluator {
  constructor(
    private readonly present: EnabledComponents,
    private readonly checks: HealthChecks,
  ) {}

  /** All of a scope; `more` stands at the end of the body. */
  async overall(
    scope: HealthScope,
    asking: HealthQuery,
    more: Readonly<Record<string, unknown>> = {},
  ): Promise<Result> {
    return this.answer(await this.reportOf(this.membersOf(scope), scope.statuses), scope, asking, more);
  }

  /** The same for a group. Without members it is absent, unless it names a component whose subject is not configured. */
  async group(scope: HealthScope, asking: HealthQuery): Promise<Result> {
    const { include } = scope.membership;
    const isThere =
      this.membersOf(scope).length > 0 || this.present.unconfigured.some((name) => include.includes(name));
    return isThere ? this.overall(scope, asking) : NOT_FOUND;
  }

  /** One component of a scope, by its path. */
  async component(scope: HealthScope, path: readonly string[], asking: HealthQuery): Promise<Result> {
    if (!visibilityFor(scope.visibility, asking.operator).components) return NOT_FOUND;
    const component = findComponent(this.membersOf(scope), path);
    if (!component) return NOT_FOUND;
    return this.answer(await this.reportOfOne(component, scope.statuses), scope, asking);
  }

  private membersOf(scope: HealthScope): readonly HealthComponent[] {
    return filterComponents(this.present.all, (path, isExternal) => isInScope(scope, path, isExternal));
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

  private answer(
    report: HealthReport,
    { visibility, statuses }: HealthScope,
    { operator, mediaType }: HealthQuery,
    more: Readonly<Record<string, unknown>> = {},
  ): Result {
    const componentsAs = mediaType === JSON_V2 ? 'details' : 'components';
    const body = { ...toHealthBody(report, visibilityFor(visibility, operator), componentsAs), ...more };
    return { status: httpStatusOf(report.status, statuses), body };
  }
}
