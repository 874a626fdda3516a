import type { RequiredFactor } from './amr.js';

/** The role that access tokens need for the management endpoints. */
export const ROLE_MANAGEMENT = 'ROLE_MANAGEMENT';

/** The role of the Basic account that may only read what reveals no secrets. */
export const ROLE_MONITORING = 'ROLE_MONITORING';

/** An authenticated caller of a management endpoint. */
export interface Operator {
  /** The subject of an access token, or the name of the Basic account, for the log. */
  readonly name: string;
  /** Roles with their prefix, e.g. `ROLE_MANAGEMENT`. */
  readonly roles: readonly string[];
}

export interface AuthenticatedOperator extends Operator {
  /**
   * The second factor that an access token lacks in its `amr`, such as a passkey where policy demands one; absent for the
   * Basic account, which is exempt.
   */
  readonly missingFactor?: RequiredFactor;
  /** True for the Basic account that may only read what reveals no secrets; a role of an account gives no such access. */
  readonly isMonitoring?: true;
}

/**
 * Verifies the credentials of operators for the management endpoints. The product provides it, so that the endpoints do not
 * depend on the product.
 */
export abstract class OperatorCredentials {
  /**
   * Verifies an `Authorization: Bearer` header.
   * @throws ServiceError `INVALID_TOKEN`
   */
  abstract verifyAccessToken(authorization: string): Promise<AuthenticatedOperator>;

  /**
   * Compares the password of the Basic account, throttled by the name that the caller sent.
   * @throws ServiceError `RATE_LIMITED` after too many failures, without a comparison
   */
  abstract verifyPassword(name: string, compare: () => boolean): Promise<boolean>;
}
