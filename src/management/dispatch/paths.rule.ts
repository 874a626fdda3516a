import { finding, type Finding, type AsyncCheck, type RuleFacts } from '../../config/check/rule.js';
import { ifBound } from '../../config/bind/unbound.js';
import { ServerProperties } from '../../http/server.properties.js';
import { effectiveAccess } from '../access/access.js';
import { AccessProperties, ENDPOINT_KEYS, ExposureProperties } from '../access/access.properties.js';
import { ENDPOINT_IDS } from '../access/endpoint-ids.js';
import { isExposed, isSameId } from '../access/exposure.js';
import { configuredGroups } from '../health/groups.rule.js';
import { PROBE_GROUPS, probePaths } from '../health/health-scope.js';
import { ProbesProperties } from '../health/health.properties.js';
import { ManagementServerProperties, ManagementWebProperties } from './management-server.properties.js';
import { basePathOf, hasDiscoveryPage, segmentOf } from './paths.js';
import { type ManagementPort, managementPortOf } from './management-port.js';

const WEB = 'management.endpoints.web';
const GROUP = 'management.endpoint.health.group';
const PROBE_PATHS = 'management.endpoint.health.probes.add-additional-paths';

/** Somebody who wants a path. */
interface RouteClaim {
  /** E.g. `main /actuator/health`. */
  readonly place: string;
  readonly path: string;
  readonly kind: 'users' | 'endpoint' | 'links' | 'group';
  /** Id of the endpoint or name of the group. */
  readonly name: string;
  /** The key that chose the path. */
  readonly key: string;
}

/**
 * What answers for the management endpoints has paths that nothing else has; `userPaths` are those of the routes of
 * users, such as `/sessions/:id`.
 */
export function managementPathsDistinct(userPaths: () => Promise<readonly string[]>): AsyncCheck {
  return async (facts) => {
    const place = managementPortOf(facts.get(ManagementServerProperties).port, facts.get(ServerProperties).port);
    if (place === 'off') return [];
    const ids = exposedIds(facts);
    const users = (await userPaths()).map((path) => claim('main', path, { kind: 'users', name: '', key: '' }));
    const claims = [
      ...users,
      ...endpointClaims(facts, place, ids),
      ...(ids.includes('health') ? groupClaims(facts, place) : []),
    ];
    const owners = new Map<string, RouteClaim>();
    return claims.flatMap((each) => {
      // A route of users below an endpoint would be in the way of its selector.
      const other = owners.get(each.place) ?? (each.kind === 'endpoint' ? owners.get(`${each.place}/:`) : undefined);
      if (!other) owners.set(each.place, each);
      return other && each.kind !== 'users' && !isSameGroup(other, each) ? [conflict(facts, other, each)] : [];
    });
  };
}

/** Ids of the endpoints that can be called; one whose access could not be read is left out. */
function exposedIds(facts: RuleFacts): readonly string[] {
  const { include, exclude } = facts.get(ExposureProperties);
  const access = facts.get(AccessProperties);
  const isOffered = (id: string): boolean => {
    const type = ENDPOINT_KEYS.get(id);
    return ifBound(() => effectiveAccess(id, type && facts.get(type).access, access), 'none') !== 'none';
  };
  return ENDPOINT_IDS.filter((id) => isExposed(id, include, exclude) && isOffered(id));
}

function endpointClaims(facts: RuleFacts, place: ManagementPort, ids: readonly string[]): readonly RouteClaim[] {
  const { basePath: endpoints, pathMapping, discovery } = facts.get(ManagementWebProperties);
  const { basePath: listener } = facts.get(ManagementServerProperties);
  const basePath = basePathOf(place, { listener, endpoints });
  const key = `${WEB}.base-path`;
  const links = claim(place, basePath === '' ? '/' : basePath, { kind: 'links', name: '', key });
  const claims = ids.map((id) => {
    const mapped = [...pathMapping.keys()].find((name) => isSameId(name, id));
    return claim(place, `${basePath}/${segmentOf(id, pathMapping)}`, {
      kind: 'endpoint',
      name: id,
      key: mapped === undefined ? key : `${WEB}.path-mapping.${mapped}`,
    });
  });
  return hasDiscoveryPage(place, basePath, discovery) ? [links, ...claims] : claims;
}

function groupClaims(facts: RuleFacts, place: ManagementPort): readonly RouteClaim[] {
  const groups = configuredGroups(facts);
  const probes = facts.get(ProbesProperties);
  return [...new Set([...groups.keys(), ...PROBE_GROUPS])].sort().flatMap((name) => {
    const own = ifBound(() => groups.get(name)?.additionalPath, undefined);
    const ofProbe = ifBound(() => probePaths(name, probes), []).filter((path) => path !== own);
    return [
      ...(own === undefined ? [] : [{ additionalPath: own, key: `${GROUP}.${name}.additional-path` }]),
      ...ofProbe.map((path) => ({ additionalPath: path, key: PROBE_PATHS })),
    ].map(({ additionalPath, key }) => {
      const [listener, path = ''] = additionalPath.split(':');
      return claim(listener === 'server' ? 'main' : place, path, { kind: 'group', name, key });
    });
  });
}

function claim(place: ManagementPort, path: string, facts: Pick<RouteClaim, 'kind' | 'name' | 'key'>): RouteClaim {
  return { ...facts, path, place: `${place} ${path.replace(/:\w+/g, ':')}` };
}

/** `server:/readyz` and `management:/readyz` of one group are one path where there is one listener. */
function isSameGroup(one: RouteClaim, other: RouteClaim): boolean {
  return one.kind === 'group' && other.kind === 'group' && one.name === other.name;
}

function conflict(facts: RuleFacts, other: RouteClaim, { kind, name, key, ...claimed }: RouteClaim): Finding {
  const parts = [key, other.key, `${WEB}.base-path`, 'management.server.base-path'];
  const path = parts.reduce((text, each) => (each === '' ? text : facts.part(each, text)), claimed.path);
  const about = (what: string, action: string, property = key): Finding =>
    finding({ severity: 'fault', what, action }, { ...facts.of(property), Path: path });
  if (kind === 'group') {
    return other.kind === 'group'
      ? about(
          `The health groups "${other.name}" and "${name}" have the same additional path`,
          `Give one of them another ${GROUP}.<name>.additional-path.`,
        )
      : about(
          `The additional path ${path} of the health group "${name}" is that of another route`,
          key === PROBE_PATHS
            ? `Set ${PROBE_PATHS} to false, or give the other one another path.`
            : `Set ${key} to a path of its own.`,
        );
  }
  if (other.kind === 'endpoint') {
    const mapped = [key, other.key].find((each) => each !== `${WEB}.base-path`);
    return about(
      `The management endpoints ${other.name} and ${name} have the same path`,
      `Give one of them a path of its own, e.g. by ${WEB}.path-mapping.${name}.`,
      mapped,
    );
  }
  const subject =
    kind === 'links' ? 'The page of links to the management endpoints' : `The management endpoint ${name}`;
  return about(
    `${subject} has the path of another route`,
    `Set ${key} to a path of its own, or management.server.port to a port of its own.`,
  );
}
