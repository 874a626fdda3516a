import type { ErrorCode } from './error-code.js';
import type { Reason } from './reason.js';

/** One member of a request that does not fit; `field` is its path in the body. */
export interface FieldError {
  readonly field: string;
  readonly code: string;
}

export interface ServiceErrorOptions {
  /** The exact reason for logs and meters; the caller never learns it. */
  readonly reason?: Reason;
  readonly errors?: readonly FieldError[];
  /** Seconds until another attempt can succeed. */
  readonly retryAfterSeconds?: number;
  readonly cause?: unknown;
  /** The log names the cause already, so that the responses of all requests that it affects do not repeat it. */
  readonly isReported?: boolean;
}

/** Ends a request with a public code; every other exception is a defect. */
export class ServiceError extends Error {
  constructor(
    readonly code: ErrorCode,
    readonly facts: ServiceErrorOptions = {},
  ) {
    super(facts.reason === undefined ? code : `${code}: ${facts.reason}`, { cause: facts.cause });
    this.name = 'ServiceError';
  }
}
