import { createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { RequiredAmr } from './amr.js';
import type { Principal } from './principal.js';

/** Metadata keys that the guards of `auth` read. */
export const PUBLIC = 'access:public';
export const HALF_AUTHENTICATED = 'access:half-authenticated';
export const AUTHORITY = 'access:authority';
export const AMR = 'access:amr';
export const CROSS_SITE = 'access:cross-site';

/** The route asks for nobody; every other route asks for a full login. */
export const Public = (): MethodDecorator & ClassDecorator => SetMetadata(PUBLIC, true);

/** The route, which must lie under `/2fa`, also takes callers whose second factor is open. */
export const AlsoHalfAuthenticated = (): MethodDecorator & ClassDecorator => SetMetadata(HALF_AUTHENTICATED, true);

/** Other sites make browsers send this request, and it carries its own proof of who sent it. */
export const TakesCrossSite = (): MethodDecorator => SetMetadata(CROSS_SITE, true);

/** The caller must have this authority, e.g. `ROLE_ADMIN`; otherwise 403 `ACCESS_DENIED`. */
export const RequireAuthority = (authority: string): MethodDecorator & ClassDecorator =>
  SetMetadata(AUTHORITY, authority);

/** The caller must have proven this method; otherwise 401 `STEP_UP_REQUIRED` (RFC 9470). */
export const RequireAmr = (
  method: RequiredAmr['method'],
  options: Omit<RequiredAmr, 'method'> = {},
): MethodDecorator & ClassDecorator => SetMetadata(AMR, { method, ...options } satisfies RequiredAmr);

/** A request after the authentication guard. */
export interface AuthenticatedRequest {
  principal?: Principal;
}

/** The authenticated caller; undefined on a public route without one. */
export const Caller = createParamDecorator(
  (_data: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<AuthenticatedRequest>().principal,
);
