import { Injectable } from '@nestjs/common';
import { type HealthComponent, isComposite } from '../../health/indicator.js';
import type { Caller } from '../access/operator.js';
import { JSON_V2 } from '../dispatch/media-types.js';
import { NOT_THERE, type Result } from '../dispatch/operation.js';
import { chosenFrom, componentAt } from './component-tree.js';
import { HealthChecks } from './health-checks.service.js';
import { bodyOf, type HealthReport, reportOfAll } from './health-report.js';
import { type HealthScope, isPart } from './health-scope.js';
import { PresentComponents } from './enabled-components.service.js';
import { httpStatusOf, type StatusRules } from './status.js';
import { sightOf } from './visibility.js';

/** Who asks, for what form of the answer. */
export interface Asking {
  readonly caller: Caller | undefined;
  readonly mediaType: string;
}

/** Asks what a caller wants to know, and says what the caller may know. */
@Injectable()
export class HealthAnswers {
  constructor(
    private readonly present: PresentComponents,
    private readonly checks: HealthChecks,
  ) {}

  /** All of a scope; `more` stands at the end of the body. */
  async whole(scope: HealthScope, asking: Asking, more: Readonly<Record<string, unknown>> = {}): Promise<Result> {
    return this.answer(await this.reportOf(this.membersOf(scope), scope.statuses), scope, asking, more);
  }

  /** The same for a group. Without members it is absent, unless it names a component whose subject is not configured. */
  async group(scope: HealthScope, asking: Asking): Promise<Result> {
    const { include } = scope.membership;
    const isThere =
      this.membersOf(scope).length > 0 || this.present.withoutSubject.some((name) => include.includes(name));
    return isThere ? this.whole(scope, asking) : NOT_THERE;
  }

  /** One component of a scope, by its path. */
  async one(scope: HealthScope, path: readonly string[], asking: Asking): Promise<Result> {
    if (!sightOf(scope.visibility, asking.caller).components) return NOT_THERE;
    const component = componentAt(this.membersOf(scope), path);
    if (!component) return NOT_THERE;
    return this.answer(await this.reportOfOne(component, scope.statuses), scope, asking);
  }

  private membersOf(scope: HealthScope): readonly HealthComponent[] {
    return chosenFrom(this.present.all, (path, isExternal) => isPart(scope, path, isExternal));
  }

  private async reportOf(components: readonly HealthComponent[], rules: StatusRules): Promise<HealthReport> {
    const reports = await Promise.all(
      components.map(async (component) => [component.name, await this.reportOfOne(component, rules)] as const),
    );
    return reportOfAll(new Map(reports), rules);
  }

  private reportOfOne(component: HealthComponent, rules: StatusRules): Promise<HealthReport> {
    return isComposite(component) ? this.reportOf(component.parts, rules) : this.checks.check(component);
  }

  private answer(
    report: HealthReport,
    { visibility, statuses }: HealthScope,
    { caller, mediaType }: Asking,
    more: Readonly<Record<string, unknown>> = {},
  ): Result {
    const componentsAs = mediaType === JSON_V2 ? 'details' : 'components';
    const body = { ...bodyOf(report, sightOf(visibility, caller), componentsAs), ...more };
    return { status: httpStatusOf(report.status, statuses), body };
  }
}
