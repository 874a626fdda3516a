import type { ErrorCode } from './error-code.js';

/** One member of a request that does not fit; `field` is its path in the body. */
export interface FieldError {
  readonly field: string;
  readonly code: string;
}

export interface ServiceErrorOptions {
  /** Value of `Retry-After`, in seconds. */
  readonly retryAfterSeconds?: number;
  /** Value of `WWW-Authenticate`; of several, each gets a line of its own, since some readers take one per line. */
  readonly challenge?: string | readonly string[];
  /** Value of `Allow`. */
  readonly allow?: string;
  readonly errors?: readonly FieldError[];
  /** In place of the status of the code, where HTTP has a more exact one for what is no request yet. */
  readonly status?: number;
  /** Nothing more is taken over this connection. */
  readonly closesConnection?: boolean;
  /** HTML in place of the general page, for a caller who is answered with pages: such as a form once more. */
  readonly page?: string;
  /** URL that a caller who is answered with pages is sent on to by 303, in place of a page. */
  readonly seeOther?: string;
  /** The exact reason for the log and the metric; never told to the caller. */
  readonly reason?: string;
  readonly cause?: unknown;
}

/** Ends a request with a public code; anything else that is thrown is a defect. */
export class ServiceError extends Error {
  constructor(
    readonly code: ErrorCode,
    readonly facts: ServiceErrorOptions = {},
  ) {
    super(facts.reason === undefined ? code : `${code}: ${facts.reason}`, { cause: facts.cause });
    this.name = 'ServiceError';
  }
}
