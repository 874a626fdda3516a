import { createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import type { RequiredAmr } from './amr.js';
import type { Principal } from './principal.js';

/** Metadata keys that the guards of `auth` read. A route without any of them is open to complete logins only. */
export const PUBLIC = 'access:public';
export const HALF_AUTHENTICATED = 'access:half-authenticated';
export const AUTHORITY = 'access:authority';
export const AMR = 'access:amr';
export const CROSS_SITE = 'access:cross-site';
export const SECOND_FACTOR = 'access:second-factor';
export const RESOURCE_SERVER = 'access:resource-server';
export const SIGN_IN = 'access:sign-in';
export const OWN_SITE = 'access:own-site';
export const PAGE = 'access:page';
export const ALLOWED_ORIGINS = 'access:allowed-origins';

/** True if the handler of the request, or else its controller, has one of the marks below. */
export function hasMark(reflector: Reflector, mark: string, context: ExecutionContext): boolean {
  const targets = [context.getHandler(), context.getClass()];
  return reflector.getAllAndOverride<boolean | undefined>(mark, targets) === true;
}

/** The route needs no authentication; every other route needs a complete login. */
export const Public = (): MethodDecorator & ClassDecorator => SetMetadata(PUBLIC, true);

/** The route also accepts access tokens for resource servers; every other one demands a token for this service. */
export const AlsoForResourceServers = (): MethodDecorator & ClassDecorator => SetMetadata(RESOURCE_SERVER, true);

/** The route belongs to the second factor and lies below `/2fa`: `mfa_token`s are valid credentials there. */
export const SecondFactorRoute = (): MethodDecorator & ClassDecorator => SetMetadata(SECOND_FACTOR, true);

/** The route, which must be a `@SecondFactorRoute()`, also accepts half-authenticated callers. */
export const AlsoHalfAuthenticated = (): MethodDecorator & ClassDecorator => SetMetadata(HALF_AUTHENTICATED, true);

/**
 * The response signs a browser in or out, so its origin is checked even without a cookie: a browser sends no SameSite
 * cookie with a form of another site, but it stores and deletes cookies as the response says.
 */
export const SignInRoute = (): MethodDecorator & ClassDecorator => SetMetadata(SIGN_IN, true);

/**
 * Scripts of the origins in `app.security.cors.allowed-origins` may use the cookie of a user here. Everywhere else they need an
 * access token: a vulnerability of another site must not let it change credentials or act as an administrator.
 */
export const OpenToAllowedOrigins = (): MethodDecorator & ClassDecorator => SetMetadata(ALLOWED_ORIGINS, true);

/** The route is a page or takes the form of one, which a user may also request by hand. */
export const PageRoute = (): MethodDecorator & ClassDecorator => SetMetadata(PAGE, true);

/** Identity providers make browsers send this request across sites; it carries its own proof of origin. */
export const TakesCrossSite = (): MethodDecorator => SetMetadata(CROSS_SITE, true);

/**
 * The route changes nothing, but another site must not make a browser request it: it records an event, costs much, or puts
 * data of others on the disk of the user.
 */
export const OwnSiteOnly = (): MethodDecorator => SetMetadata(OWN_SITE, true);

/** The caller must have one of these authorities, e.g. `ROLE_ADMIN`; otherwise 403 `ACCESS_DENIED`. */
export const RequireAuthority = (
  ...authorities: readonly [string, ...(readonly string[])]
): MethodDecorator & ClassDecorator => SetMetadata(AUTHORITY, authorities);

/** The caller must have proven exactly this method; otherwise 401 `STEP_UP_REQUIRED` (RFC 9470). */
export const RequireAmr = (
  method: Exclude<RequiredAmr['method'], 'mfa'>,
  options: Omit<RequiredAmr, 'method'> = {},
): MethodDecorator & ClassDecorator => SetMetadata(AMR, { method, ...options } satisfies RequiredAmr);

/** The caller must have proven any second factor; otherwise 401 `STEP_UP_REQUIRED` (RFC 9470). */
export const RequireMfa = (options: Omit<RequiredAmr, 'method'> = {}): MethodDecorator & ClassDecorator =>
  SetMetadata(AMR, { method: 'mfa', ...options } satisfies RequiredAmr);

/** A request after the authentication guard. */
export interface AuthenticatedRequest {
  principal?: Principal;
}

/** The authenticated caller; undefined on a public route without one. */
export const Caller = createParamDecorator(
  (_data: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<AuthenticatedRequest>().principal,
);
