import { RoleProperties } from '../account/account.properties.js';
import { ROLE_ADMIN, ROLE_HELPDESK } from '../account/account.js';
import { ROLE_MANAGEMENT } from '../../kernel/principal/operator.js';
import { type Check, type RuleProblem, Rule, type RuleFacts } from '../../config/check/rule.js';
import { ROLE_USER } from '../../kernel/principal/principal.js';
import { MfaProperties } from './mfa.properties.js';
import { PasskeyProperties } from './passkey/passkey.properties.js';
import { BackupCodeProperties } from './backup-code/backup-code.properties.js';

const PEPPER = 'app.security.mfa.backup-code.pepper';
const POLICY = 'app.security.mfa.policy';
const REQUIRED_ROLES = 'app.security.mfa.required-roles';
const PROTECTED_ROLES = 'app.security.protected-roles';
const STRENGTH = 'app.security.mfa.required-strength';
const STRENGTH_ROLES = `${STRENGTH}-roles`;
const SIGN_IN_ROLES = 'app.security.mfa.passkey.sign-in-only-roles';
const STRENGTH_FROM = `${STRENGTH}-from`;
const BUILT_IN = [ROLE_USER, ROLE_ADMIN, ROLE_MANAGEMENT, ROLE_HELPDESK];

/**
 * Reports required and protected roles that are not known: a misspelled name would demand a second factor of no account, or
 * protect none.
 * `assigned` lists the roles that other parts of the configuration assign.
 */
export function requiredRolesKnown(assigned: (facts: RuleFacts) => readonly string[]): Check {
  return (facts) => {
    const known = new Set([...BUILT_IN, ...facts.get(RoleProperties).roles, ...assigned(facts)]);
    const { requiredRoles, requiredStrengthRoles } = facts.get(MfaProperties);
    return [
      ...(roleless(facts) ?? unknownRoles(facts, REQUIRED_ROLES, requiredRoles, known)),
      ...unknownRoles(facts, STRENGTH_ROLES, requiredStrengthRoles, known),
      ...unknownRoles(facts, SIGN_IN_ROLES, facts.get(PasskeyProperties).signInOnlyRoles, known),
      ...unknownRoles(facts, PROTECTED_ROLES, facts.get(RoleProperties).protectedRoles ?? [], known),
    ];
  };
}

/** The report of a policy that concerns no role. */
function roleless(facts: RuleFacts): readonly RuleProblem[] | undefined {
  const mfa = facts.get(MfaProperties);
  const { policy, policyFrom, requiredRoles } = mfa;
  if (mfa.strengthOfAll && mfa.requiredStrengthFrom === undefined) return undefined;
  if (policy === 'optional') {
    const what = 'No role requires a second factor, not even that of administrators';
    const action = 'Set it to by-role, unless each account that needs a second factor has "users require-mfa".';
    return [facts.about(POLICY, { severity: 'warning', what, action })];
  }
  if (requiredRoles.length > 0 || (policy !== 'by-role' && policyFrom === undefined)) return undefined;
  const what = 'No role requires a second factor';
  const action = `Name at least one role, for example ${ROLE_ADMIN},${ROLE_MANAGEMENT}, or remove the key.`;
  return [facts.about(REQUIRED_ROLES, { what, action })];
}

function unknownRoles(
  facts: RuleFacts,
  key: string,
  roles: readonly string[],
  known: ReadonlySet<string>,
): readonly RuleProblem[] {
  return roles
    .filter((role) => !known.has(role))
    .map((role) => {
      const what = `"${facts.part(key, role)}" is not a known role, so no account may have it`;
      return facts.about(key, { what, action: 'Correct the name, or add the role to app.security.roles.' });
    });
}

/** Warns of roles or a date for a strength that is not demanded. */
export const strengthDemanded = new Rule('security', (facts) => {
  if (facts.get(MfaProperties).requiredStrength !== 'any') return [];
  const what = `The key has no effect while ${STRENGTH} is any`;
  const action = `Set ${STRENGTH} to phishing-resistant, or remove the key.`;
  return [STRENGTH_ROLES, STRENGTH_FROM]
    .filter((key) => facts.configuration.isSet(key))
    .map((key) => facts.about(key, { severity: 'warning', what, action }));
});

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
