import { RouteConfig } from '@nestjs/platform-fastify';

/** What routes say about themselves to the listener. */
export interface RouteFacts {
  /** Takes `application/x-www-form-urlencoded` and nothing else. */
  readonly takesForm?: boolean;
}

/** The route takes a form instead of JSON (e.g. RFC 7662 section 2.1). */
export const TakesForm = (): MethodDecorator => RouteConfig({ takesForm: true } satisfies RouteFacts);
