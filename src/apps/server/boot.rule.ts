import { problemsOf, type RuleProblem, ruleProblem, Rule, type RuleFacts } from '../../config/check/rule.js';
import { managementPathsDistinct } from '../../management/dispatch/paths.rule.js';
import { SamlProperties } from '../../signin/saml/saml.properties.js';
import { requiredRolesKnown } from '../../identity/second-factor/mfa.rule.js';
import { splitOptions, unsafeOptions } from './node-options.js';
import { logSetup } from './log-setup.js';
import { ConversionProblem, from } from '../../config/problem.js';
import { isProcessZoneNamed, processTimeZone } from '../../config/read/process-inputs.js';
import { UserProperties } from '../../config/config.properties.js';
import { DatasourceProperties } from '../../platform/persistence/datasource.properties.js';
import { parseJdbcUrl } from '../../platform/persistence/jdbc/jdbc-url.js';
import { JsonProperties } from '../../platform/http/json/json.properties.js';

/** The file of `logging.config` is readable and valid. */
export const logConfigUsable = new Rule('logging', ({ configuration, inputs }) =>
  problemsOf(() => logSetup(configuration, inputs)),
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

/**
 * The environment and the arguments of Node must not open the inspector, print secrets, or switch off what the service
 * relies on. Node reads them before any code of the service runs.
 */
export const runtimeSafe = new Rule('runtime', ({ inputs }) => {
  const { variables, nodeArguments = [], hasInspector = false } = inputs;
  const fromVariable = unsafeOptions(splitOptions(variables['NODE_OPTIONS'] ?? ''));
  const fromArguments = unsafeOptions(nodeArguments);
  const isInspectorNamed = [...fromVariable, ...fromArguments].some((option) => option.startsWith('--inspect'));
  return [
    ...fromVariable.map((option) => unsafeOption(option, 'NODE_OPTIONS')),
    ...fromArguments.map((option) => unsafeOption(option, 'the command line')),
    ...(hasInspector && !isInspectorNamed
      ? [
          ruleProblem({
            what: 'The inspector of Node is open, and another process can read the memory of this one',
            action: 'Remove what opens it, such as a preloaded module.',
          }),
        ]
      : []),
    ...(variables['NODE_TLS_REJECT_UNAUTHORIZED'] === '0'
      ? [
          ruleProblem({
            what: 'NODE_TLS_REJECT_UNAUTHORIZED=0 makes outgoing connections accept every certificate',
            action: 'Unset it. To trust a certificate authority of your own, use app.ssl.bundle.',
          }),
        ]
      : []),
    ...['NODE_DEBUG', 'NODE_DEBUG_NATIVE']
      .filter((name) => variables[name])
      .map((name) =>
        ruleProblem({
          what: `${name} makes Node print internals, such as headers with tokens, past the log`,
          action: 'Unset it. To see more, set logging.level.',
        }),
      ),
  ];
});

function unsafeOption(name: string, origin: string): RuleProblem {
  return ruleProblem(
    { what: `Node's option ${name} is not safe in production`, action: `Remove it from ${origin}.` },
    { Origin: origin },
  );
}

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

/**
 * The variable `TZ` must name the zone in which the process runs. For an unknown text, the runtime silently takes UTC
 * or an unnamed rule.
 */
export const timeZoneOfVariable = new Rule('time zone', (facts) => {
  const text = facts.inputs.variables['TZ'];
  if (text === undefined || text === '' || facts.get(UserProperties).timezone !== undefined) return [];
  // A path such as `:/etc/localtime` names no zone, but leads to one.
  if (/^:?\//.test(text) && isProcessZoneNamed()) return [];
  const what = 'The variable TZ names no time zone that the process can run in';
  const action = 'Set it to an IANA time zone such as UTC or Europe/Berlin.';
  const origin = from({ kind: 'variable', name: 'TZ' });
  return [ruleProblem({ what, action }, { Property: 'user.timezone', Value: `"${text}"`, Origin: origin })];
});

/** Time zone of the database URL; undefined if the URL states none or leaves it to the server. */
function zoneOfDatabase(url: string, ofProcess: string): string | undefined {
  const location = parseJdbcUrl(url);
  if (location instanceof ConversionProblem || location.engine === 'sqlite') return undefined;
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
