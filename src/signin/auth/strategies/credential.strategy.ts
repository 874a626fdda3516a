import passport from 'passport';
import type { Reason } from '../../../kernel/errors/reason.js';
import { HttpError } from '../../../platform/http/errors/http-error.js';

/** The parts of a request by which its caller can authenticate. */
export interface RequestCredentials {
  /** Header `Authorization`. */
  readonly authorization: string | undefined;
  /** Cookie `SESSION`. */
  readonly session: string | undefined;
  /** True on routes of the second factor; elsewhere an `mfa_token` is an invalid access token. */
  readonly acceptsMfaToken?: boolean;
  /** True on routes that also accept access tokens for resource servers. */
  readonly acceptsApiToken?: boolean;
}

/** The names of the strategies in the order in which they are asked: the first that finds its kind of credential decides. */
export const STRATEGIES = ['access-token', 'mfa-token', 'session-cookie'] as const;

export type StrategyName = (typeof STRATEGIES)[number];

type Verify = (credentials: unknown, done: (error: unknown, user?: object) => void) => void;

/**
 * Base of the Passport strategies. `validate` returns undefined for a request without the kind of credential that its
 * strategy reads, so that Passport tries the next one. It throws for a credential that is not valid, and Passport stops.
 */
export class CredentialStrategy extends passport.Strategy {
  constructor(private readonly verify: Verify) {
    super();
  }

  /** Gets the credentials in place of the request (`AuthenticationGuard.getRequest`). */
  override authenticate(credentials: unknown): void {
    this.verify(credentials, (error, user) => {
      if (error !== null && error !== undefined) this.error(error);
      else if (user) this.success(user);
      else this.fail(401);
    });
  }
}

/** The error for a credential that is not valid (RFC 6750 section 3.1). */
export function invalidToken(reason: Reason): HttpError {
  return new HttpError('INVALID_TOKEN', { reason, challenge: 'Bearer error="invalid_token"' });
}
