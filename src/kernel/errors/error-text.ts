import type { ErrorCode } from './error-code.js';

/** Public texts about a code: the same for every reason. */
export interface ErrorText {
  readonly title: string;
  /** Advice for the developer of the calling program. */
  readonly advice: string;
}

/** Public texts of every code; they never state the reason of one error. */
export const TEXT: Readonly<Record<ErrorCode, ErrorText>> = {
  VALIDATION_FAILED: {
    title: 'The request is invalid',
    advice: 'Correct the members named in errors; the same request fails again.',
  },
  INVALID_CREDENTIALS: {
    title: 'The credentials are not accepted',
    advice: 'Ask for id and password again; the response does not tell which of them is wrong.',
  },
  MFA_TOKEN_INVALID: {
    title: 'The mfa_token is not accepted',
    advice: 'Start again with the password step.',
  },
  MFA_CODE_INVALID: {
    title: 'The code or the passkey is not accepted',
    advice: 'Ask for the next code, or request new options for the passkey; the mfa_token stays usable.',
  },
  MFA_LOCKED: {
    title: 'The second factor is locked',
    advice: 'Wait as long as Retry-After says, then start again with the password step.',
  },
  RATE_LIMITED: {
    title: 'Too many requests',
    advice: 'Wait as long as Retry-After says, then send the request again.',
  },
  INVALID_TOKEN: {
    title: 'A valid access token is required',
    advice: 'Refresh the access token once; if that fails too, sign in again.',
  },
  MFA_REQUIRED: {
    title: 'The second factor is missing',
    advice: 'Prove the second factor, then send the request again.',
  },
  PASSWORD_CHANGE_REQUIRED: {
    title: 'The password is temporary and must be changed',
    advice: 'Send the same request again with new_pw, the password that the user chose.',
  },
  PASSKEY_REQUIRED: {
    title: 'This account signs in with a passkey only',
    advice: 'Sign in with a passkey: POST /login/passkey/options, then POST /login/passkey.',
  },
  ACCESS_DENIED: {
    title: 'Insufficient permissions',
    advice: 'Do not repeat the request as this user.',
  },
  STEP_UP_REQUIRED: {
    title: 'A recent or stronger login is required',
    advice: 'Prove what required and WWW-Authenticate name, then send the request again.',
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
  },
  CONFLICT: {
    title: 'The request conflicts with what is stored',
    advice: 'Read the current state; send the request again only if that state permits it.',
  },
  CROSS_SITE: {
    title: 'The request comes from another site',
    advice: 'Call from the origin of the service, or send an access token in place of cookies.',
  },
  PAYLOAD_TOO_LARGE: {
    title: 'The request is too large',
    advice: 'Send less.',
  },
  NOT_FOUND: {
    title: 'Not found',
    advice: 'Correct the path.',
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
  },
  SAML_MFA_MISSING: {
    title: 'The identity provider proved no second factor',
    advice: 'Sign in at the identity provider with a second factor.',
  },
  SAML_USER_NOT_ALLOWED: {
    title: 'This user of the identity provider is not permitted',
    advice: 'Ask an administrator.',
  },
  UNAVAILABLE: {
    title: 'The service is unavailable',
    advice: 'Wait as long as Retry-After says, then send the request again.',
  },
  INTERNAL_ERROR: {
    title: 'The service failed',
    advice: 'Report the request_id to the operator.',
  },
};
