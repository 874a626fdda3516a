import type { ErrorCode } from './error-code.js';

/** Public texts about a code: the same for every reason. */
export interface ErrorText {
  readonly title: string;
  /** Advice for the developer of the calling program. */
  readonly advice: string;
  /** Sentences that a page shows to its user in place of the title: what happened, and what to do now. */
  readonly page?: string;
}

/** Public texts of every code; they never state the reason of one error. */
export const TEXT: Readonly<Record<ErrorCode, ErrorText>> = {
  VALIDATION_FAILED: {
    title: 'The request is invalid',
    advice: 'Correct the members named in errors; the same request fails again.',
    page: 'Some of the input is not valid. Check it and try again.',
  },
  INVALID_CREDENTIALS: {
    title: 'The credentials are not accepted',
    advice: 'Ask for id and password again; the response does not tell which of them is wrong.',
    page: 'Wrong username or password.',
  },
  MFA_TOKEN_INVALID: {
    title: 'The mfa_token is not accepted',
    advice: 'Start again with the password step.',
  },
  MFA_CODE_INVALID: {
    title: 'The code is not accepted',
    advice: 'Ask for the next code; the mfa_token stays usable.',
    page: 'This code is wrong or was already used. Enter another code.',
  },
  MFA_LOCKED: {
    title: 'The second factor is locked',
    advice: 'Wait as long as Retry-After says, then start again with the password step.',
    page: 'There were too many wrong codes. The second step of your sign-in is locked for a while.',
  },
  RATE_LIMITED: {
    title: 'Too many requests',
    advice: 'Wait as long as Retry-After says, then send the request again.',
    page: 'There were too many attempts.',
  },
  INVALID_TOKEN: {
    title: 'A valid access token is required',
    advice: 'Refresh the access token once; if that fails too, sign in again.',
    page: 'Please sign in to continue.',
  },
  MFA_REQUIRED: {
    title: 'The second factor is missing',
    advice: 'Prove the second factor, then send the request again.',
    page: 'This step is not available before your sign-in is complete.',
  },
  PASSWORD_CHANGE_REQUIRED: {
    title: 'The password is temporary and must be changed',
    advice: 'Send the same request again with new_pw, the password that the user chose.',
    page: 'Your password is temporary. Enter it again and choose a new one.',
  },
  ACCESS_DENIED: {
    title: 'Insufficient permissions',
    advice: 'Do not repeat the request as this user.',
    page: 'You do not have permission to do this.',
  },
  STEP_UP_REQUIRED: {
    title: 'A recent or stronger login is required',
    advice: 'Meet the requirement in WWW-Authenticate (RFC 9470), then send the request again.',
    page: 'Please sign in again to continue.',
  },
  REFRESH_INVALID: {
    title: 'The refresh token is not accepted',
    advice: 'Sign in again.',
  },
  LINK_INVALID: {
    title: 'The link is invalid',
    advice: 'Request a new link.',
  },
  MFA_STATE_CONFLICT: {
    title: 'The state of the second factor does not permit this',
    advice: 'Read GET /2fa and offer what its state permits.',
    page: 'This setup step has expired. Start again.',
  },
  CONFLICT: {
    title: 'The request conflicts with what is stored',
    advice: 'Read the current state; the same request fails again.',
  },
  CROSS_SITE: {
    title: 'The request comes from another site',
    advice: 'Call from the origin of the service or from a configured one.',
    page: 'We could not verify this form. Open the sign-in page over https and try again.',
  },
  PAYLOAD_TOO_LARGE: {
    title: 'The request is too large',
    advice: 'Send less.',
  },
  NOT_FOUND: {
    title: 'Not found',
    advice: 'Correct the path.',
    page: 'This page does not exist.',
  },
  METHOD_NOT_ALLOWED: {
    title: 'The method is not allowed',
    advice: 'Use a method that Allow names.',
  },
  NOT_ACCEPTABLE: {
    title: 'No media type in Accept is available',
    advice: 'Name the media type of the response in Accept, or leave Accept out.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    title: 'The media type or encoding of the body is not supported',
    advice: 'Send application/json in UTF-8, not compressed.',
  },
  SAML_RESPONSE_INVALID: {
    title: 'The response of the identity provider is not accepted',
    advice: 'Start the staff login again.',
    page: 'The sign-in through your organisation was not accepted. Try again.',
  },
  SAML_MFA_MISSING: {
    title: 'The identity provider proved no second factor',
    advice: 'Sign in at the identity provider with a second factor.',
    page: 'Your organisation did not confirm a second factor. Sign in there with a second factor and try again.',
  },
  SAML_USER_NOT_ALLOWED: {
    title: 'This user of the identity provider is not permitted',
    advice: 'Ask an administrator.',
    page: 'Your account may not sign in here. Ask your administrator.',
  },
  UNAVAILABLE: {
    title: 'The service is unavailable',
    advice: 'Wait as long as Retry-After says, then send the request again.',
    page: 'The service is not available at the moment.',
  },
  INTERNAL_ERROR: {
    title: 'The service failed',
    advice: 'Report the request_id to the operator.',
    page: 'The service could not do this because of an error. Try again later.',
  },
};
