import { faultsOf, Rule, type RuleFacts } from '../config/check/rule.js';
import { managementPathsDistinct } from '../management/dispatch/paths.rule.js';
import { SamlProperties } from '../saml/saml.properties.js';
import { requiredRolesKnown } from '../second-factor/required-roles.rule.js';
import { logSetup } from './log-setup.js';

/** The file of `logging.config` can be read, and its members can be used. */
export const logConfigUsable = new Rule('logging', ({ configuration, inputs }) =>
  faultsOf(() => logSetup(configuration, inputs)),
);

/** Roles that require a second factor exist, those that identity providers assign included. */
export const requiredRolesAssigned = new Rule('security', requiredRolesKnown(rolesOfStaff));

/** Loads the whole service for its routes, which only `config check` takes long enough to notice. */
export const managementPathsApart = new Rule(
  'paths',
  managementPathsDistinct(async () => (await import('./user-paths.js')).userPaths()),
);

function rolesOfStaff(facts: RuleFacts): readonly string[] {
  const { idp } = facts.get(SamlProperties);
  return [...idp.values()].flatMap(({ rolesMap, rolesDefault }) => [...rolesMap.values(), ...rolesDefault]);
}
