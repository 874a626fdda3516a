import { isSameId } from '../access/exposure.js';
import type { ManagementPort } from './management-port.js';

/** Where the endpoints have a listener of their own, a path of that listener is in front of theirs. */
export interface BasePaths {
  readonly listener: string;
  readonly endpoints: string;
}

/** Below the root or context path; empty or starting with `/`, without one at the end. */
export function basePathOf(place: ManagementPort, { listener, endpoints }: BasePaths): string {
  return (place === 'own' ? withoutTrailingSlash(listener) : '') + withoutTrailingSlash(endpoints);
}

/** What stands for an endpoint in paths; `mapped` is by ids in any spelling. */
export function segmentOf(id: string, mapped: ReadonlyMap<string, string>): string {
  const [, segment = id] = Array.from(mapped).find(([name]) => isSameId(name, id)) ?? [];
  return segment;
}

/** On the main listener, the root belongs to users. */
export function hasDiscoveryPage(place: ManagementPort, basePath: string, isEnabled: boolean): boolean {
  return isEnabled && (place === 'own' || basePath !== '');
}

function withoutTrailingSlash(path: string): string {
  return path.replace(/\/$/, '');
}
