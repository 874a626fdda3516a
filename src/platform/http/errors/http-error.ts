import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import type { ErrorCode } from '../../../kernel/errors/error-code.js';
import { ServiceError, type ServiceErrorOptions } from '../../../kernel/errors/service-error.js';
import type { View } from '../page/view.js';
import { type Acr, ACR_MFA, ACR_PWD, type RequiredLogin, StepUpRequired } from '../../../kernel/principal/amr.js';

export interface HttpErrorOptions extends ServiceErrorOptions {
  /** Replaces the status of the code if HTTP has a more exact one for a request that could not be read. */
  readonly status?: number;
  /** Value of `Allow`. */
  readonly allow?: string;
  /** Value of `WWW-Authenticate`; each challenge gets a line of its own, since some clients read one per line. */
  readonly challenge?: string | readonly string[];
  /** The login that a `STEP_UP_REQUIRED` asks for. */
  readonly required?: RequiredLogin;
  /** Closes the connection after the response. */
  readonly closesConnection?: boolean;
  /** Replaces the general error page, such as the form with an alert; for callers that get pages. */
  readonly page?: View;
  /** The browser sends the same request again by itself (307), a few times; for callers that get pages. */
  readonly isRepeated?: boolean;
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
    const facts = { challenge: challengeOf(error), required: requiredLoginOf(error) };
    return new HttpError(error.code, { ...error.facts, ...withoutUndefined(facts), page });
  }
}

/** Options for sending an error over HTTP; empty unless an HTTP edge has set them. */
export function httpFactsOf(error: ServiceError): HttpErrorOptions {
  return error instanceof HttpError ? error.facts : {};
}

/** The value of `WWW-Authenticate`; undefined for errors without one. */
export function challengeOf(error: ServiceError): string | readonly string[] | undefined {
  if (error instanceof StepUpRequired) return stepUpChallenge(error.required);
  return httpFactsOf(error).challenge ?? (error.code === 'INVALID_TOKEN' ? 'Bearer' : undefined);
}

/** The login that an error asks for; undefined for errors other than `STEP_UP_REQUIRED`. */
export function requiredLoginOf(error: ServiceError): RequiredLogin | undefined {
  return error instanceof StepUpRequired ? error.required : httpFactsOf(error).required;
}

const REQUIRED: Readonly<Record<RequiredLogin['method'], { readonly acr: Acr; readonly text: string }>> = {
  pwd: { acr: ACR_PWD, text: 'A sign-in' },
  otp: { acr: ACR_MFA, text: 'A one-time code (otp)' },
  mfa: { acr: ACR_MFA, text: 'A second factor' },
  passkey: { acr: ACR_MFA, text: 'A passkey' },
};

/** The challenge of RFC 9470 section 3. `acr_values` does not tell a code from any other second factor; the text does. */
export function stepUpChallenge({ method, maxAge }: RequiredLogin): string {
  const { acr, text } = REQUIRED[method];
  const description = `${text} is required${maxAge === undefined ? '' : `, proven at most ${maxAge} seconds ago`}`;
  const parts = [
    'error="insufficient_user_authentication"',
    `error_description="${description}"`,
    `acr_values="${acr}"`,
    ...(maxAge === undefined ? [] : [`max_age="${maxAge}"`]),
  ];
  return `Bearer ${parts.join(', ')}`;
}
