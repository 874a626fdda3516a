import { faultsOf, Rule, type RuleFacts } from '../config/check/rule.js';
import { managementPathsDistinct } from '../management/dispatch/paths.rule.js';
import { SamlProperties } from '../saml/saml.properties.js';
import { requiredRolesKnown } from '../second-factor/mfa.rule.js';
import { logSetup } from './log-setup.js';
import { ConversionError } from '../config/problem.js';
import { processTimeZone } from '../config/read/process-inputs.js';
import { UserProperties } from '../config/config.properties.js';
import { DatasourceProperties } from '../persistence/datasource.properties.js';
import { parseJdbcUrl } from '../persistence/jdbc/jdbc-url.js';
import { JsonProperties } from '../http/json/json.properties.js';

/** The file of `logging.config` is readable and valid. */
export const logConfigUsable = new Rule('logging', ({ configuration, inputs }) =>
  faultsOf(() => logSetup(configuration, inputs)),
);

/** Roles that require a second factor exist, including roles that identity providers assign. */
export const requiredRolesAssigned = new Rule('security', requiredRolesKnown(rolesOfStaff));

/**
 * Management paths differ from user paths. The rule loads the whole service for its routes; only `config check` is slow
 * enough to show that.
 */
export const managementPathsApart = new Rule(
  'paths',
  managementPathsDistinct(async () => (await import('./user-paths.js')).userPaths()),
);

function rolesOfStaff(facts: RuleFacts): readonly string[] {
  const { idp } = facts.get(SamlProperties);
  return [...idp.values()].flatMap(({ rolesMap, rolesDefault }) => [...rolesMap.values(), ...rolesDefault]);
}

const NAMES_OF_UTC = ['UTC', 'GMT', 'Etc/UTC', 'Etc/GMT', '+00:00'];

/**
 * The time zones of the process, of JSON and of the database URL, if it states one, are equal (specification, "Upload,
 * JSON, encoding").
 */
export const equalTimeZones = new Rule('time zone', (facts) => {
  const ofProcess = facts.get(UserProperties).timezone ?? processTimeZone();
  const ofJson = facts.get(JsonProperties).timeZone;
  const ofDatabase = zoneOfDatabase(facts.get(DatasourceProperties).url, ofProcess);
  if (sameZone(ofProcess, ofJson) && (ofDatabase === undefined || sameZone(ofDatabase, ofJson))) return [];
  const of = ofDatabase === undefined ? 'process and JSON' : 'process, JSON and database';
  const what = `The time zones of ${of} differ`;
  const action = `Make them equal, e.g. by -Duser.timezone=${ofJson}.`;
  const others = { Process: ofProcess, 'app.datasource.url': ofDatabase };
  return [facts.about('app.json.time-zone', { what, action }, others)];
});

/** Undefined if the URL states none or leaves it to the server. */
function zoneOfDatabase(url: string, ofProcess: string): string | undefined {
  const location = parseJdbcUrl(url);
  if (location instanceof ConversionError || location.engine === 'sqlite') return undefined;
  switch (location.timeZone?.toUpperCase()) {
    case 'LOCAL':
      return ofProcess;
    case 'SERVER':
      return undefined;
    default:
      return location.timeZone;
  }
}

function sameZone(one: string, other: string): boolean {
  return one === other || canonicalZone(one) === canonicalZone(other);
}

function canonicalZone(zone: string): string {
  if (NAMES_OF_UTC.includes(zone)) return 'UTC';
  try {
    const known = new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
    return NAMES_OF_UTC.includes(known) ? 'UTC' : known;
  } catch {
    return zone;
  }
}
