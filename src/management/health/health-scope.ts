import { withoutUndefined } from '../../collections/without-undefined.js';
import { DEFAULT_HTTP_MAPPING, type StatusRules } from './status.js';
import type { Show } from '../access/access.js';
import type { VisibilityRules } from './health-report.js';

/** One view on health: the whole, or a group. */
export interface HealthScope {
  /** Of a group. */
  readonly name?: string;
  readonly membership: Membership;
  readonly visibility: VisibilityRules;
  readonly statuses: StatusRules;
}

export interface HealthGroup extends HealthScope {
  readonly name: string;
  /** E.g. `server:/livez`. */
  readonly additionalPaths: readonly string[];
}

/** What is configured for the whole (management API, sections 3.3 and 3.4). */
export interface OverallSettings {
  readonly showDetails: Show;
  readonly showComponents?: Show;
  readonly roles: readonly string[];
  readonly statusOrder: readonly string[];
  readonly statusHttpMapping: ReadonlyMap<string, number>;
}

/** What is configured for one group, section 3.5; the whole counts for what is left out. */
export type GroupSettings = Partial<OverallSettings> & Partial<Membership> & { readonly additionalPath?: string };

export interface ProbeSettings {
  readonly enabled: boolean;
  readonly addAdditionalPaths: boolean;
}

/** The group that says whether a restart would help. */
export const LIVENESS = 'liveness';
/** Groups of the probes, each with its one member and the path on the main listener. */
const PROBES = [
  { name: LIVENESS, member: 'livenessState', path: 'server:/livez' },
  { name: 'readiness', member: 'readinessState', path: 'server:/readyz' },
] as const;

/** Groups that there are with the probes, whether or not they are configured. */
export const PROBE_GROUPS: readonly string[] = PROBES.map(({ name }) => name);

/** Components that there are with the probes alone. */
export const PROBE_STATES: readonly string[] = PROBES.map(({ member }) => member);

/** Probes look at the HTTP status and at nothing else. */
const STATUS_ONLY: GroupSettings = { showDetails: 'never', showComponents: 'never' };

const ALL_COMPONENTS: Membership = { include: [], exclude: [] };

export function overallScope(settings: OverallSettings): HealthScope {
  const { showDetails, showComponents = showDetails, roles, statusOrder: order, statusHttpMapping } = settings;
  const httpMapping = statusHttpMapping.size > 0 ? statusHttpMapping : DEFAULT_HTTP_MAPPING;
  return {
    membership: ALL_COMPONENTS,
    visibility: { showDetails, showComponents, roles },
    statuses: { order, httpMapping },
  };
}

/**
 * The groups that count of those that are configured: without the packaged groups of probes where there are no probes, as
 * who switched these off named no group. `isPackaged` tells it of the members of a group.
 */
export function activeGroups<T extends Pick<GroupSettings, 'include'>>(
  configured: ReadonlyMap<string, T>,
  { enabled }: Pick<ProbeSettings, 'enabled'>,
  isPackaged: (name: string) => boolean,
): ReadonlyMap<string, T> {
  if (enabled) return configured;
  const isLeftOut = (name: string, { include = [] }: T): boolean =>
    include.some((path) => PROBE_STATES.includes(path)) && isPackaged(name);
  return new Map([...configured].filter(([name, settings]) => !isLeftOut(name, settings)));
}

/** The configured groups and those of the probes, by name. */
export function healthGroups(
  whole: OverallSettings,
  configured: ReadonlyMap<string, GroupSettings>,
  probes: ProbeSettings,
): ReadonlyMap<string, HealthGroup> {
  const groups = Array.from(configured, ([name, settings]) => groupOf(name, settings, whole));
  const known = new Map(groups.map((group) => [group.name, group]));
  for (const probe of probes.enabled ? PROBES : []) {
    const { include, exclude } = configured.get(probe.name) ?? {};
    const group = known.get(probe.name) ?? groupOf(probe.name, STATUS_ONLY, whole);
    known.set(probe.name, {
      ...group,
      // Other keys of such a group leave it what it is.
      membership: include || exclude ? group.membership : { include: [probe.member], exclude: [] },
      additionalPaths: [...new Set([...group.additionalPaths, ...probePaths(probe.name, probes)])],
    });
  }
  return new Map([...known].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** E.g. `server:/livez` of the group `liveness`, where the probes have such paths. */
export function probePaths(name: string, { enabled, addAdditionalPaths }: ProbeSettings): readonly string[] {
  return enabled && addAdditionalPaths ? PROBES.filter((probe) => probe.name === name).map(({ path }) => path) : [];
}

function groupOf(name: string, settings: GroupSettings, whole: OverallSettings): HealthGroup {
  const showComponents = settings.showComponents ?? whole.showComponents;
  const { include = [], exclude = [], additionalPath, statusHttpMapping } = settings;
  const scope = overallScope({
    showDetails: settings.showDetails ?? whole.showDetails,
    ...withoutUndefined({ showComponents }),
    roles: settings.roles ?? whole.roles,
    statusOrder: settings.statusOrder ?? whole.statusOrder,
    statusHttpMapping: statusHttpMapping?.size ? statusHttpMapping : whole.statusHttpMapping,
  });
  const additionalPaths = additionalPath === undefined ? [] : [additionalPath];
  return { ...scope, name, membership: { include, exclude }, additionalPaths };
}

/** Whether a component without parts belongs to a scope; no other system is ever part of liveness. */
export function isInScope(scope: HealthScope, path: string, isExternal: boolean): boolean {
  return isMember(path, scope.membership) && !(isExternal && scope.name === LIVENESS);
}

/** Which components a group has, by their paths, such as `db` or `stores/main`; `*` is all. */
export interface Membership {
  /** Empty is all. */
  readonly include: readonly string[];
  /** Wins over `include`. */
  readonly exclude: readonly string[];
}

const WILDCARD = '*';

/** Whether a component that has no parts belongs to a group; the name of a whole stands for all its parts. */
export function isMember(path: string, { include, exclude }: Membership): boolean {
  return (include.length === 0 || covers(include, path)) && !covers(exclude, path);
}

/** The paths that name none of the components. */
export function unknownMembers({ include, exclude }: Membership, known: readonly string[]): readonly string[] {
  return [...new Set([...include, ...exclude])].filter((path) => path !== WILDCARD && !known.includes(path));
}

function covers(names: readonly string[], path: string): boolean {
  return names.some((name) => name === WILDCARD || name === path || path.startsWith(`${name}/`));
}
