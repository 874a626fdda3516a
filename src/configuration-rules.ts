import { strongPasswordHashes } from './account/password-hash.rule.js';
import { secureCookies } from './auth/cookie.rule.js';
import { pepperedBackupCodes } from './backup-code/pepper.rule.js';
import type { Configuration, ConfigurationInputs } from './config/configuration.js';
import { type Finding, type Rule, RuleFacts } from './config/rule.js';
import { secretsByReference } from './config/secrets.rule.js';
import { originsKnown, profilesOutsideFiles } from './config/sources.rule.js';
import { endpointsNamed } from './management/access/endpoint-names.rule.js';
import { openEndpointsApart } from './management/caller/security.rule.js';
import { exposedEndpoints } from './management/exposure.rule.js';
import { equalTimeZones } from './management/time-zones.rule.js';
import { jdbcUrlNotes } from './persistence/jdbc-url.rule.js';
import { mapperLimits } from './persistence/mapper.rule.js';
import { productionValues } from './persistence/production.rule.js';
import { shutdownWithinGrace } from './server/shutdown/shutdown.rule.js';
import { sealKeysGiven } from './sealing/seal.rule.js';
import { noStackTraces } from './server/problem/stack-traces.rule.js';
import { bundleKeysKeptPrivate } from './tls/private-key.rule.js';
import { publicUrlGiven } from './token/public-url.rule.js';
import { signingKeyKeptPrivate } from './token/signing-key.rule.js';

/**
 * The specification's "Configuration rules" in their order, notes on the database's URL, the equal time zones, and what
 * production must not go without.
 */
const RULES: readonly Rule[] = [
  profilesOutsideFiles,
  secretsByReference,
  shutdownWithinGrace,
  productionValues,
  noStackTraces,
  mapperLimits,
  jdbcUrlNotes,
  exposedEndpoints,
  endpointsNamed,
  openEndpointsApart,
  originsKnown,
  equalTimeZones,
  sealKeysGiven,
  strongPasswordHashes,
  pepperedBackupCodes,
  secureCookies,
  publicUrlGiven,
  signingKeyKeptPrivate,
  bundleKeysKeptPrivate,
];

/** What is found against the rules: what `config check` prints, and what stops a start with profile `prod`. */
export function checkRules(configuration: Configuration, inputs: ConfigurationInputs): readonly Finding[] {
  const facts = new RuleFacts(configuration, inputs);
  return RULES.flatMap((rule) => rule(facts));
}
