import { sameId } from '../access/exposure.js';
import type { Place } from './management-port.js';

/** Where the endpoints have a listener of their own, a path of that listener is in front of theirs. */
export interface BasePaths {
  readonly ofListener: string;
  readonly ofEndpoints: string;
}

/** Below the root or context path; empty or starting with `/`, without one at the end. */
export function basePathOf(place: Place, { ofListener, ofEndpoints }: BasePaths): string {
  return (place === 'own' ? withoutSlash(ofListener) : '') + withoutSlash(ofEndpoints);
}

/** What stands for an endpoint in paths; `mapped` is by ids in any spelling. */
export function segmentOf(id: string, mapped: ReadonlyMap<string, string>): string {
  const [, segment = id] = Array.from(mapped).find(([name]) => sameId(name, id)) ?? [];
  return segment;
}

/** On the main listener, the root belongs to users. */
export function hasPageOfLinks(place: Place, basePath: string, isEnabled: boolean): boolean {
  return isEnabled && (place === 'own' || basePath !== '');
}

function withoutSlash(path: string): string {
  return path.replace(/\/$/, '');
}
