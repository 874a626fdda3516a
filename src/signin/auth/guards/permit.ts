import type { Tx } from '../../../platform/persistence/unit-of-work.js';

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
