import { ruleProblem, type RuleProblem, type AsyncCheck, type RuleFacts } from '../../config/check/rule.js';
import { ifBound } from '../../config/bind/unbound.js';
import { ServerProperties } from '../../platform/http/server.properties.js';
import { effectiveAccess, isExposed } from '../access/access.js';
import { ENDPOINT_IDS, type EndpointId, isSameId } from '../access/endpoint-ids.js';
import { keysOfEndpoint } from '../access/access.properties.js';
import { AccessProperties, ExposureProperties } from '../access/access.properties.js';
import { configuredGroups } from '../health/groups.rule.js';
import { PROBE_GROUPS, probePaths } from '../health/health-scope.js';
import { ProbesProperties } from '../health/health.properties.js';
import { basePathOf, hasDiscoveryPage, type ManagementPort, managementPortOf, segmentOf } from './paths.js';
import { ManagementServerProperties, ManagementWebProperties } from './management-server.properties.js';

const WEB = 'management.endpoints.web';
const GROUP = 'management.endpoint.health.group';
const PROBE_PATHS = 'management.endpoint.health.probes.add-additional-paths';

/** A path that a route occupies. */
interface RouteClaim {
  /** Listener and normalised path, e.g. `main /actuator/health`. */
  readonly route: string;
  readonly path: string;
  readonly kind: 'users' | 'endpoint' | 'links' | 'group';
  /** Id of the endpoint or name of the group. */
  readonly name: string;
  /** The key that chose the path. */
  readonly key: string;
}

/**
 * No route of the management endpoints has the path of another route; `userPaths` are those of the routes for users,
 * such as `/sessions/:id`.
 */
export function managementPathsDistinct(userPaths: () => Promise<readonly string[]>): AsyncCheck {
  return async (facts) => {
    const port = managementPortOf(facts.get(ManagementServerProperties).port, facts.get(ServerProperties).port);
    if (port === 'off') return [];
    const ids = exposedIds(facts);
    const users = (await userPaths()).map((path) => claim('main', path, { kind: 'users', name: '', key: '' }));
    const claims = [
      ...users,
      ...endpointClaims(facts, port, ids),
      ...(ids.includes('health') ? groupClaims(facts, port) : []),
    ];
    const owners = new Map<string, RouteClaim>();
    return claims.flatMap((each) => {
      // A route for users below an endpoint would hide the selector of the endpoint.
      const other = owners.get(each.route) ?? (each.kind === 'endpoint' ? owners.get(`${each.route}/:`) : undefined);
      if (!other) owners.set(each.route, each);
      return other && each.kind !== 'users' && !isSameGroup(other, each) ? [conflict(facts, other, each)] : [];
    });
  };
}

/** Ids of the endpoints that can be called, except those whose access could not be bound. */
function exposedIds(facts: RuleFacts): readonly string[] {
  const { include, exclude } = facts.get(ExposureProperties);
  const access = facts.get(AccessProperties);
  const isAccessible = (id: EndpointId): boolean =>
    ifBound(() => effectiveAccess(id, facts.get(keysOfEndpoint(id)).access, access), 'none') !== 'none';
  return ENDPOINT_IDS.filter((id) => isExposed(id, include, exclude) && isAccessible(id));
}

function endpointClaims(facts: RuleFacts, port: ManagementPort, ids: readonly string[]): readonly RouteClaim[] {
  const { basePath: endpoints, pathMapping, discovery } = facts.get(ManagementWebProperties);
  const { basePath: listener } = facts.get(ManagementServerProperties);
  const basePath = basePathOf(port, { listener, endpoints });
  const key = `${WEB}.base-path`;
  const links = claim(port, basePath === '' ? '/' : basePath, { kind: 'links', name: '', key });
  const claims = ids.map((id) => {
    const mapped = [...pathMapping.keys()].find((name) => isSameId(name, id));
    return claim(port, `${basePath}/${segmentOf(id, pathMapping)}`, {
      kind: 'endpoint',
      name: id,
      key: mapped === undefined ? key : `${WEB}.path-mapping.${mapped}`,
    });
  });
  return hasDiscoveryPage(port, basePath, discovery) ? [links, ...claims] : claims;
}

function groupClaims(facts: RuleFacts, port: ManagementPort): readonly RouteClaim[] {
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
      return claim(listener === 'server' ? 'main' : port, path, { kind: 'group', name, key });
    });
  });
}

function claim(port: ManagementPort, path: string, facts: Pick<RouteClaim, 'kind' | 'name' | 'key'>): RouteClaim {
  return { ...facts, path, route: `${port} ${path.replace(/:\w+/g, ':')}` };
}

/** On a single listener, `server:/readyz` and `management:/readyz` of one group are the same path. */
function isSameGroup(one: RouteClaim, other: RouteClaim): boolean {
  return one.kind === 'group' && other.kind === 'group' && one.name === other.name;
}

function conflict(facts: RuleFacts, other: RouteClaim, { kind, name, key, ...claimed }: RouteClaim): RuleProblem {
  const parts = [key, other.key, `${WEB}.base-path`, 'management.server.base-path'];
  const path = parts.reduce((text, each) => (each === '' ? text : facts.part(each, text)), claimed.path);
  const about = (what: string, action: string, property = key): RuleProblem =>
    ruleProblem({ severity: 'error', what, action }, { ...facts.of(property), Path: path });
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
