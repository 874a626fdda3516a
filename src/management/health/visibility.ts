import type { Operator } from '../access/operator.js';
import { isShown, type Show } from '../access/show.js';

/** Who sees more than a status. */
export interface VisibilityRules {
  readonly showComponents: Show;
  readonly showDetails: Show;
  readonly roles: readonly string[];
}

/** What one caller sees. */
export interface Visibility {
  readonly components: boolean;
  readonly details: boolean;
}

/** Management API, "Who sees what". */
export function visibilityFor(
  { showComponents, showDetails, roles }: VisibilityRules,
  operator: Operator | undefined,
): Visibility {
  return { components: isShown(showComponents, roles, operator), details: isShown(showDetails, roles, operator) };
}
