import { RoleProperties } from '../account/account.properties.js';
import { ROLE_ADMIN } from '../account/account.js';
import { ROLE_MANAGEMENT } from '../principal/operator.js';
import type { Check, RuleFacts } from '../config/check/rule.js';
import { ROLE_USER } from '../principal/principal.js';
import { MfaProperties } from './mfa.properties.js';

const KEY = 'app.security.mfa.required-roles';
const BUILT_IN = [ROLE_USER, ROLE_ADMIN, ROLE_MANAGEMENT];

/**
 * Finds required roles that no account can be expected to have: a misspelled name demands a second factor of no one.
 * `assigned` lists the roles that other parts of the configuration assign.
 */
export function requiredRolesKnown(assigned: (facts: RuleFacts) => readonly string[]): Check {
  return (facts) => {
    const { requiredRoles } = facts.get(MfaProperties);
    if (requiredRoles.length === 0) {
      const what = 'No role requires a second factor';
      const action = `Name at least one role, for example ${ROLE_ADMIN},${ROLE_MANAGEMENT}, or remove the key.`;
      return [facts.about(KEY, { what, action })];
    }
    const known = new Set([...BUILT_IN, ...facts.get(RoleProperties).roles, ...assigned(facts)]);
    return requiredRoles
      .filter((role) => !known.has(role))
      .map((role) => {
        const what = `"${facts.part(KEY, role)}" is not a known role, so no account may have it`;
        const action = 'Correct the name, or add the role to app.security.roles.';
        return facts.about(KEY, { what, action });
      });
  };
}
