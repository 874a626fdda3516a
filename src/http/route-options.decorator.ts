import { RouteConfig } from '@nestjs/platform-fastify';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import type { FastifyRequest } from 'fastify';
import type { GenericSchema } from 'valibot';

/** What a route says about itself to the listener. */
export interface RouteOptions {
  /** Takes `application/x-www-form-urlencoded` and nothing else. */
  readonly takesForm?: boolean;
  /** Takes `multipart/form-data` and nothing else. */
  readonly takesUpload?: boolean;
  /** Media types of JSON that it takes, where that is not `application/json` alone. */
  readonly jsonTypes?: readonly string[];
  /** Is for probes and operators, who must see an overloaded service as well. */
  readonly isManagement?: boolean;
  /** Is for people, and answers errors with pages as well; `backTo` stands below the context path. */
  readonly errorPages?: { readonly backTo: string };
  /** The body of its good answer, as the handler gives it: instants are `Date`s. */
  readonly responseSchema?: GenericSchema;
}

/** Adds facts to those that other decorators of the same handler say. */
export function WithRouteOptions(facts: RouteOptions): MethodDecorator {
  return (target, name, descriptor) => {
    const known = Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, descriptor.value as object) as
      RouteOptions | undefined;
    RouteConfig({ ...known, ...facts })(target, name, descriptor);
  };
}

/** What the matched route says; nothing where none matched. */
export function optionsOfRoute({ routeOptions }: FastifyRequest): RouteOptions {
  return routeOptions.config as RouteOptions;
}
