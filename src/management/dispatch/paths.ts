import { isSameId } from '../access/endpoint-ids.js';

/** The port of the management endpoints: the main port, a separate one, or none. */
export type ManagementPort = 'main' | 'own' | 'off';

/** Compares `management.server.port` with `server.port` (management API, "Base path and separate port"). */
export function managementPortOf(port: number | undefined, mainPort: number): ManagementPort {
  if (port === undefined) return 'main';
  if (port < 0) return 'off';
  return port === mainPort && port !== 0 ? 'main' : 'own';
}

/** The configured base paths; that of the listener applies only to a port of its own. */
export interface BasePaths {
  readonly listener: string;
  readonly endpoints: string;
}

/** The base path below the root or context path: empty, or with a leading slash and without a trailing one. */
export function basePathOf(port: ManagementPort, { listener, endpoints }: BasePaths): string {
  return (port === 'own' ? withoutTrailingSlash(listener) : '') + withoutTrailingSlash(endpoints);
}

/** Returns the path segment of an endpoint; `pathMapping` has ids in any spelling. */
export function segmentOf(id: string, pathMapping: ReadonlyMap<string, string>): string {
  const [, segment = id] = Array.from(pathMapping).find(([name]) => isSameId(name, id)) ?? [];
  return segment;
}

/** True if the base path serves the discovery page; on the main port, the root belongs to users. */
export function hasDiscoveryPage(port: ManagementPort, basePath: string, isEnabled: boolean): boolean {
  return isEnabled && (port === 'own' || basePath !== '');
}

function withoutTrailingSlash(path: string): string {
  return path.replace(/\/$/, '');
}
