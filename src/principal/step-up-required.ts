import { ServiceError } from '../errors/service-error.js';

/** What a login lacks: another method, or a more recent proof. */
export interface RequiredLogin {
  readonly method: 'pwd' | 'otp';
  /** Seconds. */
  readonly maxAge?: number;
}

/** Ends a request that needs a stronger or more recent login (RFC 9470). */
export class StepUpRequired extends ServiceError {
  constructor(readonly required: RequiredLogin) {
    super('STEP_UP_REQUIRED');
  }
}
