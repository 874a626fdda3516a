import { withoutUndefined } from '../../kernel/collections/without-undefined.js';
import { DEFAULT_HTTP_MAPPING, type StatusRules } from './status.js';
import type { Show } from '../access/access.js';
import type { VisibilityRules } from './health-report.js';

/** A view on health: the overall health or a group. */
export interface HealthScope {
  /** Name of the group; undefined for the overall health. */
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

/** Configuration of the overall health (management API, sections 3.3 and 3.4). */
export interface OverallSettings {
  readonly showDetails: Show;
  readonly showComponents?: Show;
  readonly roles: readonly string[];
  readonly statusOrder: readonly string[];
  readonly statusHttpMapping: ReadonlyMap<string, number>;
}

/** Configuration of a group (management API, section 3.5); unset values are those of the overall health. */
export type GroupSettings = Partial<OverallSettings> & Partial<Membership> & { readonly additionalPath?: string };

export interface ProbeSettings {
  readonly enabled: boolean;
  readonly addAdditionalPaths: boolean;
}

/** The group that reports whether a restart would help. */
export const LIVENESS = 'liveness';
/** Groups of the probes, each with its member and its path on the main listener. */
const PROBES = [
  { name: LIVENESS, member: 'livenessState', path: 'server:/livez' },
  { name: 'readiness', member: 'readinessState', path: 'server:/readyz' },
] as const;

/** Groups that exist if probes are enabled, whether or not they are configured. */
export const PROBE_GROUPS: readonly string[] = PROBES.map(({ name }) => name);

/** Components that exist only if probes are enabled. */
export const PROBE_STATES: readonly string[] = PROBES.map(({ member }) => member);

/** Probes read only the HTTP status. */
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
 * Removes the packaged groups of probes from the configured ones if probes are disabled, because the operator did not
 * configure them. `isPackaged` is true if the members of a group come from the packaged configuration.
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
      // Other keys of such a group keep its default member.
      membership: include || exclude ? group.membership : { include: [probe.member], exclude: [] },
      additionalPaths: [...new Set([...group.additionalPaths, ...probePaths(probe.name, probes)])],
    });
  }
  return new Map([...known].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Additional paths of a probe, such as `server:/livez` of the group `liveness`. */
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

/** True if a component without parts belongs to a scope; other systems never belong to liveness. */
export function isInScope(scope: HealthScope, path: string, isExternal: boolean): boolean {
  return isMember(path, scope.membership) && !(isExternal && scope.name === LIVENESS);
}

/** The members of a group by their paths, such as `db` or `stores/main`; `*` means all. */
export interface Membership {
  /** Paths of the members; empty includes all components. */
  readonly include: readonly string[];
  /** Paths that are excluded although they are included. */
  readonly exclude: readonly string[];
}

const WILDCARD = '*';

/** True if a component without parts belongs to a group; the name of a composite includes all its parts. */
export function isMember(path: string, { include, exclude }: Membership): boolean {
  return (include.length === 0 || covers(include, path)) && !covers(exclude, path);
}

/** Returns the paths that name no component, each once. */
export function unknownMembers({ include, exclude }: Membership, known: readonly string[]): readonly string[] {
  return [...new Set([...include, ...exclude])].filter((path) => path !== WILDCARD && !known.includes(path));
}

function covers(names: readonly string[], path: string): boolean {
  return names.some((name) => name === WILDCARD || name === path || path.startsWith(`${name}/`));
}
