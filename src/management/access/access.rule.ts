import { type RuleProblem, Rule, type RuleFacts, type Severity } from '../../config/check/rule.js';
import { ServerProperties } from '../../platform/http/server.properties.js';
import { ManagementServerProperties, ManagementWebProperties } from '../dispatch/management-server.properties.js';
import { managementPortOf } from '../dispatch/paths.js';
import { ENDPOINT_IDS, idsWithExposure, isSameId, isUnknownId } from './endpoint-ids.js';
import { type BasicAccountKeys, ExposureProperties, ManagementSecurityProperties } from './access.properties.js';

const WEB = 'management.endpoints.web';
const INCLUDE = `${WEB}.exposure.include`;
const ENABLED = 'management.security.enabled';
const SECURITY = 'management.security';

/** Minimum length of a password that is the only factor (NIST SP 800-63B-4 section 3.1.1.2). */
const MIN_LENGTH = 15;
/** Minimum number of characters besides the name of the account. */
const MIN_OWN_CHARACTERS = 8;
const MIN_DISTINCT_CHARACTERS = 5;

/** Rule 7: endpoints that reveal secrets or stop the service are not exposed. */
export const harmlessEndpointsExposed = new Rule('7', (facts) => {
  const port = managementPortOf(facts.get(ManagementServerProperties).port, facts.get(ServerProperties).port);
  const { include, exclude } = facts.get(ExposureProperties);
  // Metrics for a scraper, on a port that users do not reach.
  const recommended = [...idsWithExposure('recommended'), ...(port === 'main' ? [] : idsWithExposure('internal'))];
  const isExcluded = (id: string): boolean => exclude.some((item) => item === '*' || isSameId(item, id));
  const sensitive = idsWithExposure('sensitive').filter((id) => !isExcluded(id));
  const action = `Set ${INCLUDE} to some of ${recommended.join(',')}.`;
  const about = (what: string, severity: Severity): readonly RuleProblem[] => [
    facts.about(INCLUDE, { severity, what, action }),
  ];
  return include.flatMap((id) => {
    const exposed = sensitive.filter((other) => id === '*' || isSameId(other, id));
    if (exposed.length > 0) {
      return about(`${exposed.join(', ')} can reveal secrets or stop the service`, 'breach');
    }
    // Unknown ids have a warning of their own.
    if (isUnknownId(id) || isExcluded(id) || recommended.some((other) => isSameId(other, id))) return [];
    return about(`${facts.part(INCLUDE, id)} is more than is recommended`, 'warning');
  });
});

/** An id that names no endpoint has no effect and is most likely misspelled. */
export const knownEndpointIds = new Rule('endpoints', (facts) => {
  const { include, exclude } = facts.get(ExposureProperties);
  const { pathMapping } = facts.get(ManagementWebProperties);
  const warnings = (key: string, ids: readonly string[]): readonly RuleProblem[] =>
    ids.filter(isUnknownId).map((id) =>
      facts.about(key, {
        severity: 'warning',
        what: `${facts.part(key, id)} names no endpoint`,
        action: `Remove it from ${key}, or write one of ${ENDPOINT_IDS.join(', ')}.`,
      }),
    );
  return [
    ...warnings(INCLUDE, include),
    ...warnings(`${WEB}.exposure.exclude`, exclude),
    ...[...pathMapping.keys()].flatMap((id) => warnings(`${WEB}.path-mapping.${id}`, [id])),
  ];
});

/** Without authentication of operators, the endpoints must not share a port with the users. */
export const publicEndpointsOnOwnPort = new Rule('management', (facts) => {
  if (facts.get(ManagementSecurityProperties).enabled) return [];
  const port = managementPortOf(facts.get(ManagementServerProperties).port, facts.get(ServerProperties).port);
  if (port !== 'main') return [];
  return [
    facts.about(ENABLED, {
      severity: 'error',
      what: 'The management endpoints would be open to all users',
      action: `Set ${ENABLED} to true, or management.server.port to a port of their own inside the network.`,
    }),
  ];
});

/** The Basic accounts have no second factor, so their passwords must be random. */
export const strongOperatorPassword = new Rule('management', (facts) => {
  const { operatorAccount, monitoringAccount } = facts.get(ManagementSecurityProperties);
  return [
    ...weakPassword(facts, `${SECURITY}.password`, operatorAccount),
    ...weakPassword(facts, `${SECURITY}.monitoring.password`, monitoringAccount),
  ];
});

function weakPassword(facts: RuleFacts, key: string, account: BasicAccountKeys | undefined): readonly RuleProblem[] {
  const weakness = account && weaknessOf(account.password, account.user);
  if (weakness === undefined) return [];
  const what = `A Basic account of the management endpoints has a weak password: it ${weakness}`;
  const action = `Generate one of at least ${MIN_LENGTH} random characters, for example with "openssl rand -base64 24".`;
  return [facts.about(key, { severity: 'warning', what, action })];
}

function weaknessOf(password: string, user: string): string | undefined {
  const own = password.toLowerCase().replaceAll(user.toLowerCase(), '');
  if (own.length < Math.min(MIN_OWN_CHARACTERS, password.length)) return 'is little more than the name of the account';
  // Well-known passwords are shorter, too.
  if (Array.from(password).length < MIN_LENGTH) return 'is too short for the only factor of an account';
  return new Set(password).size < MIN_DISTINCT_CHARACTERS ? 'repeats a few characters' : undefined;
}
