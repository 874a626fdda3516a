import { isPackaged } from '../../config/read/origin.js';
import { ruleProblem, Rule, type RuleFacts } from '../../config/check/rule.js';
import { ifBound } from '../../config/bind/unbound.js';
import { declaredComponents } from '../../observability/health/health-components.js';
import {
  HealthEndpointProperties,
  type HealthGroupProperties,
  HealthSwitchProperties,
  ProbesProperties,
  SWITCH,
} from './health.properties.js';
import { activeGroups, PROBE_STATES, unknownMembers } from './health-scope.js';

const PREFIX = 'management.endpoint.health.group';
const VALIDATE = 'management.endpoint.health.validate-group-membership';

/** A health group has components that exist (management API, "Groups"). */
export const knownGroupMembers = new Rule('health', (facts) => {
  if (!facts.get(HealthEndpointProperties).validateGroupMembership) return [];
  // The states exist only with the probes; without them, a group of states alone would always be UP.
  const known = [...declaredComponents(), ...(hasProbes(facts) ? PROBE_STATES : [])];
  const present = known.filter((name) => isSwitchedOn(facts, name)).sort();
  return Array.from(configuredGroups(facts)).flatMap(([group, settings]) => {
    const members = ifBound(() => ({ include: settings.include ?? [], exclude: settings.exclude ?? [] }), undefined);
    return unknownMembers(members ?? { include: [], exclude: [] }, known).map((unknown) => {
      const key = `${PREFIX}.${group}.${members?.include.includes(unknown) ? 'include' : 'exclude'}`;
      const what = `The health group "${group}" names the unknown component "${facts.part(key, unknown)}"`;
      const action = `Set ${key} to some of ${present.join(', ')}, or ${VALIDATE} to false.`;
      return ruleProblem(
        { severity: 'error', what, action },
        { ...facts.of(key), Reason: `the components are ${present.join(', ')}` },
      );
    });
  });
});

/** The configured groups without the packaged groups of disabled probes. */
export function configuredGroups(facts: RuleFacts): ReadonlyMap<string, HealthGroupProperties> {
  const { group } = facts.get(HealthEndpointProperties);
  const isOfPackage = (name: string): boolean => {
    const [assignment] = facts.stateOf(`${PREFIX}.${name}.include`)?.assignments ?? [];
    return assignment !== undefined && isPackaged(assignment.origin);
  };
  return activeGroups(group, { enabled: hasProbes(facts) }, isOfPackage);
}

function hasProbes(facts: RuleFacts): boolean {
  return ifBound(() => facts.get(ProbesProperties).enabled, true);
}

function isSwitchedOn(facts: RuleFacts, name: string): boolean {
  const switches = facts.get(HealthSwitchProperties);
  const key = SWITCH[name];
  return key === undefined || ifBound(() => switches[key] ?? switches.defaults, true);
}
