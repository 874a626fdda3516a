import { strongPasswordHashes } from '../account/password/password-hash.rule.js';
import { secureCookies } from '../auth/cookie.rule.js';
import { publicAddressKeepsCookies } from '../auth/public-address.rule.js';
import { pepperedBackupCodes } from '../second-factor/backup-code/pepper.rule.js';
import { type ConfigurationInputs, type ConfigurationReading, configurationOf } from '../config/configuration.js';
import { emptyTextsHideNothing } from '../config/check/empty-text.rule.js';
import { faultsOf, type Finding, type LateRule, type Rule, RuleFacts } from '../config/check/rule.js';
import { secretsByReference } from '../config/check/secrets.rule.js';
import { originsKnown, profilesOutsideFiles } from '../config/check/sources.rule.js';
import { UnboundValue } from '../config/bind/unbound.js';
import { logSetup } from './log-setup.js';
import { knownEndpointIds } from '../management/access/endpoint-names.rule.js';
import { strongOperatorPassword } from '../management/access/operator-password.rule.js';
import { publicEndpointsOnOwnPort } from '../management/access/security.rule.js';
import { harmlessEndpointsExposed } from '../management/access/exposure.rule.js';
import { knownGroupMembers } from '../management/health/groups.rule.js';
import { requiredRolesKnown } from '../second-factor/required-roles.rule.js';
import { managementPathsDistinct } from '../management/dispatch/paths.rule.js';
import { equalTimeZones } from './time-zones.rule.js';
import { jdbcUrlNotes } from '../persistence/jdbc/jdbc-url.rule.js';
import { mapperLimits } from '../persistence/mapper/mapper.rule.js';
import { productionValues } from '../persistence/production.rule.js';
import { identityProvidersUsable } from '../saml/idp/idps.rule.js';
import { SamlProperties } from '../saml/saml.properties.js';
import { serviceNamed } from '../saml/sp/service-name.rule.js';
import { shutdownWithinGrace } from '../http/shutdown/shutdown.rule.js';
import { contextClassesUsable } from '../saml/login/authn-context.rule.js';
import { forcedLoginsProven } from '../saml/login/forced-login.rule.js';
import { sealKeysGiven } from '../sealing/seal.rule.js';
import { noStackTraces } from '../http/errors/stack-traces.rule.js';
import { bundleUsable } from '../http/tls/bundle.rule.js';
import { uploadFolderWritable } from '../http/upload/upload-folder.rule.js';
import { bundleKeysKeptPrivate } from '../tls/private-key.rule.js';
import { publicUrlGiven } from '../token/public-url.rule.js';
import { signingKeyKeptPrivate } from '../token/keys/signing-key.rule.js';
import { tokenKeysUsable } from '../token/keys/token-keys.rule.js';

/** The file of `logging.config` can be read, and what stands in it can be used. */
const logConfigUsable: Rule = ({ configuration, inputs }) => faultsOf('logging', () => logSetup(configuration, inputs));

/** Roles that identity providers assign. */
function rolesOfStaff(facts: RuleFacts): readonly string[] {
  const { idp } = facts.get(SamlProperties);
  return [...idp.values()].flatMap(({ rolesMap, rolesDefault }) => [...rolesMap.values(), ...rolesDefault]);
}

/** Loads the whole service for its routes, which `config check` is alone to notice. */
const managementPathsApart = managementPathsDistinct(async () => (await import('./user-paths.js')).userPaths());

/**
 * The specification's "Configuration rules" in their order, notes on the database's URL, the equal time zones, what
 * production must not go without, and all that would keep the service from its start before anything is asked of others.
 */
const RULES: readonly (Rule | LateRule)[] = [
  profilesOutsideFiles,
  secretsByReference,
  shutdownWithinGrace,
  productionValues,
  noStackTraces,
  mapperLimits,
  jdbcUrlNotes,
  harmlessEndpointsExposed,
  knownEndpointIds,
  publicEndpointsOnOwnPort,
  strongOperatorPassword,
  originsKnown,
  emptyTextsHideNothing,
  equalTimeZones,
  sealKeysGiven,
  strongPasswordHashes,
  pepperedBackupCodes,
  requiredRolesKnown(rolesOfStaff),
  secureCookies,
  publicAddressKeepsCookies,
  publicUrlGiven,
  signingKeyKeptPrivate,
  bundleKeysKeptPrivate,
  logConfigUsable,
  knownGroupMembers,
  managementPathsApart,
  bundleUsable,
  tokenKeysUsable,
  identityProvidersUsable(),
  serviceNamed,
  uploadFolderWritable,
  contextClassesUsable,
  forcedLoginsProven,
];

/**
 * What is found against the rules: what `config check` prints, and what stops a start. A rule that needs a value which could
 * not be bound is left out, and so are all where a file could not be read: what it sets is not known.
 */
export async function checkRules(
  reading: ConfigurationReading,
  inputs: ConfigurationInputs,
): Promise<readonly Finding[]> {
  if (!reading.isWhole) return [];
  const facts = new RuleFacts(configurationOf(reading), inputs);
  return (await Promise.all(RULES.map((rule) => found(rule, facts)))).flat();
}

async function found(rule: Rule | LateRule, facts: RuleFacts): Promise<readonly Finding[]> {
  try {
    return await rule(facts);
  } catch (error) {
    if (error instanceof UnboundValue) return [];
    throw error;
  }
}
