import { withoutUndefined } from '../../kernel/collections/without-undefined.js';
import type { Health } from '../../observability/health/health-components.js';
import type { Operator } from '../../kernel/principal/operator.js';
import { isShown, type Show } from '../access/access.js';
import { type StatusRules, worstOf } from './status.js';

/** The result of a component, with those of its parts. */
export interface HealthReport extends Health {
  /** Reports of the parts by name; undefined for a component without parts. */
  readonly components?: ReadonlyMap<string, HealthReport>;
}

/** The settings that decide what is visible besides the status (management API, "Who sees what"). */
export interface VisibilityRules {
  readonly showComponents: Show;
  readonly showDetails: Show;
  readonly roles: readonly string[];
}

/** The parts of a report besides the status that a caller sees. */
export interface Visibility {
  readonly components: boolean;
  readonly details: boolean;
}

export function visibilityFor(
  { showComponents, showDetails, roles }: VisibilityRules,
  operator: Operator | undefined,
): Visibility {
  return { components: isShown(showComponents, roles, operator), details: isShown(showDetails, roles, operator) };
}

/** The report of several components; `UP` without any. */
export function aggregate(components: ReadonlyMap<string, HealthReport>, rules: StatusRules): HealthReport {
  const statuses = Array.from(components.values(), ({ status }) => status);
  return { status: statuses.length === 0 ? 'UP' : worstOf(statuses, rules), components };
}

/** The visible part of a report; the media type decides which member holds the components. */
export function toHealthBody(
  { status, description, details = {}, components }: HealthReport,
  visible: Visibility,
  componentsAs: 'components' | 'details',
): Readonly<Record<string, unknown>> {
  const parts = Array.from(
    components ?? [],
    ([name, part]) => [name, toHealthBody(part, visible, componentsAs)] as const,
  );
  const hasDetails = visible.details && Object.keys(details).length > 0;
  return withoutUndefined({
    status,
    description: visible.details ? description : undefined,
    ...(parts.length > 0 && visible.components && { [componentsAs]: Object.fromEntries(parts) }),
    ...(hasDetails && { details }),
  });
}
