import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { AuthenticatedRequest } from '../../../kernel/principal/access.decorator.js';
import type { Permit } from './permit.js';

/** A request after the authority guard. */
export interface PermittedRequest extends AuthenticatedRequest {
  permit?: Permit;
}

/** Parameter: the `Permit` of the caller; only for routes with `@RequireAuthority` or `@RequireMfa`. */
export const CallerPermit = createParamDecorator((_data: unknown, context: ExecutionContext): Permit => {
  const { permit } = context.switchToHttp().getRequest<PermittedRequest>();
  if (!permit) throw new TypeError('the route demands nothing of its caller');
  return permit;
});
