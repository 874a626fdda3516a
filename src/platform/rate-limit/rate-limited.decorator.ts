import { type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import type { RouteGroup } from './route-group.js';

const RATE_LIMIT = 'rate-limit:group';

/** The route, or every route of the controller, belongs to this group. */
export const RateLimited = (group: RouteGroup): MethodDecorator & ClassDecorator => SetMetadata(RATE_LIMIT, group);

/** The group of the handler, or else of its controller; `open` without one. */
export function groupOf(reflector: Reflector, context: ExecutionContext): RouteGroup {
  const targets = [context.getHandler(), context.getClass()];
  return reflector.getAllAndOverride<RouteGroup | undefined>(RATE_LIMIT, targets) ?? 'open';
}
