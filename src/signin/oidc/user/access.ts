import type { Account } from '../../../identity/account/account.js';
import type { Client } from '../../../identity/client/client.js';
import { effectiveRoles } from '../../../kernel/principal/principal.js';

/** True if the user may sign in to the application. */
export function mayUse({ status, roles }: Account, { roles: admitted }: Pick<Client, 'roles'>): boolean {
  const held = effectiveRoles(roles);
  return status === 'active' && (admitted.length === 0 || admitted.some((role) => held.includes(role)));
}
