import type { Operation } from '../dispatch/operation.js';
import type { EndpointId } from './endpoint-ids.js';

/** How much of an endpoint there is, the least first. */
export const ACCESS = ['none', 'read-only', 'unrestricted'] as const;
export type Access = (typeof ACCESS)[number];

/** Endpoints that give everything away or end the service are there only where somebody says so. */
const CLOSED: ReadonlySet<string> = new Set<EndpointId>(['shutdown', 'heapdump']);

/** Of an endpoint for which no key says anything (management API, "Exposure and access"). */
export function ownDefaultAccess(id: string): Access {
  return CLOSED.has(id) ? 'none' : 'unrestricted';
}

/** The keys that say how much of the endpoints there is. */
export interface AccessRules {
  readonly defaultAccess?: Access;
  readonly maxPermitted: Access;
}

/** Of an endpoint, whose own key says `stated`. */
export function effectiveAccess(
  id: string,
  stated: Access | undefined,
  { defaultAccess, maxPermitted }: AccessRules,
): Access {
  return capped(stated ?? defaultAccess ?? ownDefaultAccess(id), maxPermitted);
}

/** The lesser of two. */
export function capped(access: Access, limit: Access): Access {
  return ACCESS.indexOf(access) < ACCESS.indexOf(limit) ? access : limit;
}

/** Reading is `GET`, with `HEAD` and `OPTIONS`, which come along with it. */
export function allows(access: Access, { method }: Pick<Operation, 'method'>): boolean {
  return access === 'unrestricted' || (access === 'read-only' && method === 'GET');
}
