import { withoutUndefined } from '../../collections/without-undefined.js';
import type { ErrorCode } from '../../errors/error-code.js';
import { ServiceError, type ServiceErrorOptions } from '../../errors/service-error.js';
import type { View } from '../page/view.js';
import { ACR_MFA, ACR_PWD, type RequiredLogin, StepUpRequired } from '../../principal/amr.js';

export interface HttpErrorOptions extends ServiceErrorOptions {
  /** Replaces the status of the code if HTTP has a more exact one for a request that could not be read. */
  readonly status?: number;
  /** Value of `Allow`. */
  readonly allow?: string;
  /** Value of `WWW-Authenticate`; each challenge gets a line of its own, since some clients read one per line. */
  readonly challenge?: string | readonly string[];
  /** Closes the connection after the response. */
  readonly closesConnection?: boolean;
  /** Replaces the general error page, such as the form with an alert; for callers that get pages. */
  readonly page?: View;
  /** URL that a 303 leads to in place of an error page; for callers that get pages. */
  readonly seeOther?: string;
}

/** A `ServiceError` that decides about its HTTP response; only HTTP edges throw it. */
export class HttpError extends ServiceError {
  constructor(
    code: ErrorCode,
    override readonly facts: HttpErrorOptions,
  ) {
    super(code, facts);
  }

  /** The same error with a page of its own. */
  static withPage(error: ServiceError, page: View): HttpError {
    const challenge = challengeOf(error);
    return new HttpError(error.code, { ...error.facts, ...withoutUndefined({ challenge }), page });
  }
}

/** How an error is sent over HTTP; empty unless an HTTP edge has decided. */
export function httpFactsOf(error: ServiceError): HttpErrorOptions {
  return error instanceof HttpError ? error.facts : {};
}

/** The value of `WWW-Authenticate`; undefined for errors without one. */
export function challengeOf(error: ServiceError): string | readonly string[] | undefined {
  if (error instanceof StepUpRequired) return stepUpChallenge(error.required);
  return httpFactsOf(error).challenge ?? (error.code === 'INVALID_TOKEN' ? 'Bearer' : undefined);
}

/** The challenge of RFC 9470 section 3. */
export function stepUpChallenge({ method, maxAge }: RequiredLogin): string {
  const parts = ['error="insufficient_user_authentication"', `acr_values="${method === 'otp' ? ACR_MFA : ACR_PWD}"`];
  if (maxAge !== undefined) parts.push(`max_age="${maxAge}"`);
  return `Bearer ${parts.join(', ')}`;
}
