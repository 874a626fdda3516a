import { oneOf, type ScalarType } from '../../config/bind/key-type.js';
import type { Operator } from './operator.js';

/** Who sees more than names, as keys such as `management.endpoint.env.show-values` say it. */
export type Show = 'never' | 'when-authorized' | 'always';

export const show: ScalarType<Show> = oneOf('never', 'when-authorized', 'always');

/** A known caller with one of the roles, which count with and without `ROLE_`; without roles any known caller. */
export function isShown(who: Show, roles: readonly string[], operator: Operator | undefined): boolean {
  if (who !== 'when-authorized') return who === 'always';
  if (!operator) return false;
  return (
    roles.length === 0 || roles.some((role) => operator.roles.includes(role) || operator.roles.includes(`ROLE_${role}`))
  );
}
