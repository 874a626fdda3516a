import { oneOf, type ScalarType } from '../../config/bind/key-type.js';
import type { Operator } from '../../kernel/principal/operator.js';
import type { Operation } from '../dispatch/operation.js';
import { definitionOf, type EndpointId, isSameId } from './endpoint-ids.js';

/** The levels of access to an endpoint, lowest first. */
export const ACCESS = ['none', 'read-only', 'unrestricted'] as const;
export type Access = (typeof ACCESS)[number];

/** The access of an endpoint for which no key is set (management API, "Exposure and access"). */
export function ownDefaultAccess(id: EndpointId): Access {
  return definitionOf(id).access ?? 'unrestricted';
}

/** The keys that set the access of all endpoints. */
export interface AccessRules {
  readonly defaultAccess?: Access;
  readonly maxPermitted: Access;
}

/** The access of an endpoint whose own key is set to `configured`. */
export function effectiveAccess(
  id: EndpointId,
  configured: Access | undefined,
  { defaultAccess, maxPermitted }: AccessRules,
): Access {
  const access = configured ?? defaultAccess ?? ownDefaultAccess(id);
  return ACCESS.indexOf(access) < ACCESS.indexOf(maxPermitted) ? access : maxPermitted;
}

/** Read-only access permits `GET`; `HEAD` and `OPTIONS` follow from it. */
export function allows(access: Access, { method }: Pick<Operation, 'method'>): boolean {
  return access === 'unrestricted' || (access === 'read-only' && method === 'GET');
}

/** True if an endpoint can be called at all; `exclude` overrides `include`, and `*` means every id. */
export function isExposed(id: string, include: readonly string[], exclude: readonly string[]): boolean {
  const names = (list: readonly string[]): boolean => list.some((item) => item === '*' || isSameId(item, id));
  return names(include) && !names(exclude);
}

/** The values of keys such as `management.endpoint.env.show-values`. */
export type Show = 'never' | 'when-authorized' | 'always';

export const show: ScalarType<Show> = oneOf('never', 'when-authorized', 'always');

/**
 * True if an operator may see a part of a response that a key limits. `when-authorized` admits an operator with one of the
 * roles, named with or without `ROLE_`; if there are no roles, it admits every authenticated operator.
 */
export function isShown(value: Show, roles: readonly string[], operator: Operator | undefined): boolean {
  if (value !== 'when-authorized') return value === 'always';
  if (!operator) return false;
  return (
    roles.length === 0 || roles.some((role) => operator.roles.includes(role) || operator.roles.includes(`ROLE_${role}`))
  );
}
