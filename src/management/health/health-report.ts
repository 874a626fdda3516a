import type { Health } from '../../health/indicator.js';
import { type StatusRules, worstOf } from './status.js';
import type { Visibility } from './visibility.js';

/** What checks found out about a whole and its parts. */
export interface HealthReport extends Health {
  /** By name; undefined where it has none. */
  readonly components?: ReadonlyMap<string, HealthReport>;
}

/** Of a whole: UP where there is nothing that could be otherwise. */
export function aggregate(components: ReadonlyMap<string, HealthReport>, rules: StatusRules): HealthReport {
  const statuses = Array.from(components.values(), ({ status }) => status);
  return { status: statuses.length === 0 ? 'UP' : worstOf(statuses, rules), components };
}

/** As far as a caller sees it; components stand in the member that their media type has for them. */
export function toHealthBody(
  { status, description, details = {}, components }: HealthReport,
  sight: Visibility,
  componentsAs: 'components' | 'details',
): Readonly<Record<string, unknown>> {
  const parts = Array.from(
    components ?? [],
    ([name, part]) => [name, toHealthBody(part, sight, componentsAs)] as const,
  );
  return {
    status,
    ...(description !== undefined && sight.details && { description }),
    ...(parts.length > 0 && sight.components && { [componentsAs]: Object.fromEntries(parts) }),
    ...(Object.keys(details).length > 0 && sight.details && { details }),
  };
}
