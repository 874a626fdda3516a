import { oneOf, type ScalarType } from '../../config/bind/key-type.js';
import type { Caller } from './operator.js';

/** Who sees more than names, as keys such as `management.endpoint.env.show-values` say it. */
export type WhoSees = 'never' | 'when-authorized' | 'always';

export const whoSees: ScalarType<WhoSees> = oneOf('never', 'when-authorized', 'always');

/** A known caller with one of the roles, which count with and without `ROLE_`; without roles any known caller. */
export function maySee(who: WhoSees, roles: readonly string[], caller: Caller | undefined): boolean {
  if (who !== 'when-authorized') return who === 'always';
  if (!caller) return false;
  return (
    roles.length === 0 || roles.some((role) => caller.roles.includes(role) || caller.roles.includes(`ROLE_${role}`))
  );
}
