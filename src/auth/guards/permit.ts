import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Tx } from '../../persistence/unit-of-work.js';
import type { AuthenticatedRequest } from '../../principal/access.decorator.js';

/**
 * What the guards of a route have found about its caller, to be asked for again: an upload or an export goes on for long
 * after its guards have run.
 */
export interface Permit {
  readonly subject: string;
  /**
   * Verifies that the session is live and the account active with an authority of the route.
   * @throws ServiceError `INVALID_TOKEN`; `ACCESS_DENIED`
   */
  verifyAccess(): Promise<void>;
  /** Verifies the same, and that the second factor is recent enough. @throws also ServiceError `STEP_UP_REQUIRED` */
  verify(): Promise<void>;
  /** Verifies as `verify` does, and keeps account and session as they are until the transaction ends. @throws as `verify` */
  hold(tx: Tx): Promise<void>;
}

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
