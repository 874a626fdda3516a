import { RoleProperties } from '../account/account.properties.js';
import { ROLE_ADMIN, ROLE_HELPDESK } from '../account/account.js';
import { ROLE_MANAGEMENT } from '../principal/operator.js';
import { type Check, Rule, type RuleFacts } from '../config/check/rule.js';
import { ROLE_USER } from '../principal/principal.js';
import { BackupCodeProperties, MfaProperties } from './mfa.properties.js';

const PEPPER = 'app.security.mfa.backup-code.pepper';
const POLICY = 'app.security.mfa.policy';
const REQUIRED_ROLES = 'app.security.mfa.required-roles';
const BUILT_IN = [ROLE_USER, ROLE_ADMIN, ROLE_MANAGEMENT, ROLE_HELPDESK];

/**
 * Reports required roles that are not known: a misspelled name would demand a second factor of no account.
 * `assigned` lists the roles that other parts of the configuration assign.
 */
export function requiredRolesKnown(assigned: (facts: RuleFacts) => readonly string[]): Check {
  return (facts) => {
    const { requiredRoles, policy, policyFrom } = facts.get(MfaProperties);
    if (policy === 'optional') {
      const what = 'No role requires a second factor, not even that of administrators';
      const action = 'Set it to by-role, unless each account that needs a second factor has "users require-mfa".';
      return [facts.about(POLICY, { severity: 'warning', what, action })];
    }
    if (requiredRoles.length === 0 && (policy === 'by-role' || policyFrom !== undefined)) {
      const what = 'No role requires a second factor';
      const action = `Name at least one role, for example ${ROLE_ADMIN},${ROLE_MANAGEMENT}, or remove the key.`;
      return [facts.about(REQUIRED_ROLES, { what, action })];
    }
    const known = new Set([...BUILT_IN, ...facts.get(RoleProperties).roles, ...assigned(facts)]);
    return requiredRoles
      .filter((role) => !known.has(role))
      .map((role) => {
        const what = `"${facts.part(REQUIRED_ROLES, role)}" is not a known role, so no account may have it`;
        const action = 'Correct the name, or add the role to app.security.roles.';
        return facts.about(REQUIRED_ROLES, { what, action });
      });
  };
}

/** All 2^40 backup codes can be hashed in minutes, so in production the hash must be keyed. */
export const pepperedBackupCodes = new Rule('security', (facts) =>
  facts.get(BackupCodeProperties).active === undefined && facts.activeProfiles.includes('prod')
    ? [
        facts.about(PEPPER, {
          what: 'Backup codes of production must have a pepper',
          action: `Set ${PEPPER} to a random text of at least 32 characters, from the environment.`,
        }),
      ]
    : [],
);
