import type { ErrorCode } from './error-code.js';

/** What a caller may read about a code: the same for every reason behind it. */
export interface ErrorText {
  readonly title: string;
  /** What to do about it, for whoever writes the calling program. */
  readonly advice: string;
}

/** Public texts of every code; the reason of one refusal is never among them. */
export const TEXT: Readonly<Record<ErrorCode, ErrorText>> = {
  VALIDATION_FAILED: {
    title: 'The request does not have the right form',
    advice: 'Correct the members named in errors; the same request fails again.',
  },
  INVALID_CREDENTIALS: {
    title: 'The credentials are not accepted',
    advice: 'Ask for id and password again; nothing tells which of them is wrong.',
  },
  MFA_TOKEN_INVALID: {
    title: 'The mfa_token is not accepted',
    advice: 'Begin again with the password step.',
  },
  MFA_CODE_INVALID: {
    title: 'The code is not accepted',
    advice: 'Ask for the next code; the mfa_token stays usable.',
  },
  MFA_LOCKED: {
    title: 'The second factor is locked',
    advice: 'Wait as long as Retry-After says, then begin again with the password step.',
  },
  RATE_LIMITED: {
    title: 'There are too many requests',
    advice: 'Wait as long as Retry-After says, then send the request again.',
  },
  INVALID_TOKEN: {
    title: 'A valid access token is needed',
    advice: 'Refresh the access token once; where that fails too, sign in again.',
  },
  MFA_REQUIRED: {
    title: 'The second factor is still open',
    advice: 'Prove the second factor, then send the request again.',
  },
  ACCESS_DENIED: {
    title: 'The caller lacks an authority for this',
    advice: 'Do not repeat the request as this user.',
  },
  STEP_UP_REQUIRED: {
    title: 'A fresh or stronger login is needed',
    advice: 'Do what WWW-Authenticate asks for (RFC 9470), then send the request again.',
  },
  REFRESH_INVALID: {
    title: 'The refresh token is not accepted',
    advice: 'Sign in again.',
  },
  LINK_INVALID: {
    title: 'The link is not accepted',
    advice: 'Ask for a new link.',
  },
  MFA_STATE_CONFLICT: {
    title: 'The second factor is not in a state for this',
    advice: 'Read GET /2fa and offer what its state allows.',
  },
  CONFLICT: {
    title: 'The request conflicts with what is stored',
    advice: 'Read the present state; the same request fails again.',
  },
  CROSS_SITE: {
    title: 'Another site may not send this request',
    advice: 'Call from the origin of the service or from a configured one.',
  },
  PAYLOAD_TOO_LARGE: {
    title: 'The request is too large',
    advice: 'Send less.',
  },
  NOT_FOUND: {
    title: 'There is nothing here',
    advice: 'Correct the path.',
  },
  METHOD_NOT_ALLOWED: {
    title: 'The method is not offered here',
    advice: 'Use a method that Allow names.',
  },
  NOT_ACCEPTABLE: {
    title: 'No accepted media type is offered here',
    advice: 'Name the media type of the answer in Accept, or leave Accept out.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    title: 'The media type or encoding of the body is not taken here',
    advice: 'Send application/json in UTF-8, not compressed.',
  },
  SAML_RESPONSE_INVALID: {
    title: 'The response of the identity provider is not accepted',
    advice: 'Begin the staff login again.',
  },
  SAML_MFA_MISSING: {
    title: 'The identity provider proved no second factor',
    advice: 'Sign in at the identity provider with a second factor.',
  },
  SAML_USER_NOT_ALLOWED: {
    title: 'This user of the identity provider is not admitted',
    advice: 'Ask an administrator.',
  },
  UNAVAILABLE: {
    title: 'The service cannot answer now',
    advice: 'Wait as long as Retry-After says, then send the request again.',
  },
  INTERNAL_ERROR: {
    title: 'The service failed',
    advice: 'Report the request_id to the operator.',
  },
};
