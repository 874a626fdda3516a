import { RouteConfig } from '@nestjs/platform-fastify';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import type { FastifyRequest } from 'fastify';
import type { GenericSchema } from 'valibot';

/** Error pages of a route. */
export interface ErrorPageOptions {
  /** The sign-in page, or the page of its kind; a path below the context path. */
  readonly backTo: string;
  /**
   * True if a visitor without a session is redirected to `backTo`, and back after the sign-in, in place of an error
   * page.
   */
  readonly redirectsVisitors?: boolean;
  /**
   * True if a form of an ended session is redirected as well: the same form, sent twice, may have ended the session,
   * and the browser then has the cookie of the next one. The redirect keeps the `return_to` of the form.
   */
  readonly redirectsForms?: boolean;
  /**
   * Path at which a half-authenticated visitor of a page completes the sign-in, below the context path. The error page leads there
   * at once, and the sign-in returns to the page; its status stays 403 (specification, "Errors").
   */
  readonly secondStepAt?: string;
  /** Path at which a user whose proof of the second factor is too old proves it again, below the context path. */
  readonly stepUpAt?: string;
  /** True at hosts of applications: the error page loads no files, and leads to the application. */
  readonly isBare?: boolean;
  /**
   * Template of the page with the form that this route takes, below the context path: after a sign-in, the browser comes
   * back to it, since the form itself cannot be sent again.
   */
  readonly formPage?: string;
}

/** Options of a route for the listener. */
export interface RouteOptions {
  /** The route accepts only `application/x-www-form-urlencoded`. */
  readonly takesForm?: boolean;
  /** The route accepts only `multipart/form-data`. */
  readonly takesUpload?: boolean;
  /** Media types of the success response, if a request chooses one of several; the response names it. */
  readonly mediaTypes?: readonly string[];
  /** JSON media types of the body; `application/json` by default. */
  readonly jsonTypes?: readonly string[];
  /** The route hashes a password for callers who are not signed in: under overload such requests wait for each other. */
  readonly hashesPassword?: boolean;
  /** Errors of a body that cannot be read have the form of RFC 6749 section 5.2. */
  readonly hasOAuthErrors?: boolean;
  /** Scripts of the origins of applications may read the response, without cookies. */
  readonly isForApplications?: boolean;
  /** The route is also at hosts of applications, whose use of https this service does not decide. */
  readonly isAtApplications?: boolean;
  /** The route is for probes and operators, who must reach an overloaded service as well. */
  readonly isManagement?: boolean;
  /** The route is for browsers and sends errors as pages; `backTo` is a path below the context path. */
  readonly errorPages?: ErrorPageOptions;
  /** Schema of the success response as the handler returns it: instants are `Date`s. */
  readonly responseSchema?: GenericSchema;
}

/** Adds options to those of other decorators of the same handler. */
export function WithRouteOptions(facts: RouteOptions): MethodDecorator {
  return (target, name, descriptor) => {
    const known = Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, descriptor.value as object) as
      RouteOptions | undefined;
    RouteConfig({ ...known, ...facts })(target, name, descriptor);
  };
}

/** Options of the matched route; empty if none matched. */
export function optionsOfRoute({ routeOptions }: FastifyRequest): RouteOptions {
  return routeOptions.config as RouteOptions;
}
