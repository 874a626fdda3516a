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
    title: 'The request does not have the right form',
    advice: 'Correct the members named in errors; the same request fails again.',
    page: 'Some of the input is not valid. Check it and try again.',
  },
  INVALID_CREDENTIALS: {
    title: 'The credentials are not accepted',
    advice: 'Ask for id and password again; nothing tells which of them is wrong.',
    page: 'Wrong username or password.',
  },
  MFA_TOKEN_INVALID: {
    title: 'The mfa_token is not accepted',
    advice: 'Begin again with the password step.',
  },
  MFA_CODE_INVALID: {
    title: 'The code is not accepted',
    advice: 'Ask for the next code; the mfa_token stays usable.',
    page: 'This code is wrong or was already used. Enter another code.',
  },
  MFA_LOCKED: {
    title: 'The second factor is locked',
    advice: 'Wait as long as Retry-After says, then begin again with the password step.',
    page: 'There were too many wrong codes. The second step of your sign-in is locked for a while.',
  },
  RATE_LIMITED: {
    title: 'There are too many requests',
    advice: 'Wait as long as Retry-After says, then send the request again.',
    page: 'There were too many attempts.',
  },
  INVALID_TOKEN: {
    title: 'A valid access token is needed',
    advice: 'Refresh the access token once; where that fails too, sign in again.',
    page: 'Please sign in to continue.',
  },
  MFA_REQUIRED: {
    title: 'The second factor is still open',
    advice: 'Prove the second factor, then send the request again.',
    page: 'This step is not available before your sign-in is complete.',
  },
  PASSWORD_CHANGE_REQUIRED: {
    title: 'The password is temporary and must be changed',
    advice: 'Send the same request again with new_pw, the password that the user chose.',
    page: 'Your password is temporary. Enter it again and choose a new one.',
  },
  ACCESS_DENIED: {
    title: 'The caller lacks an authority for this',
    advice: 'Do not repeat the request as this user.',
    page: 'You do not have permission to do this.',
  },
  STEP_UP_REQUIRED: {
    title: 'A fresh or stronger login is needed',
    advice: 'Do what WWW-Authenticate asks for (RFC 9470), then send the request again.',
    page: 'Please sign in again to continue.',
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
    page: 'This setup step has expired. Start again.',
  },
  CONFLICT: {
    title: 'The request conflicts with what is stored',
    advice: 'Read the present state; the same request fails again.',
  },
  CROSS_SITE: {
    title: 'Another site may not send this request',
    advice: 'Call from the origin of the service or from a configured one.',
    page: 'We could not verify this form. Open the sign-in page over https and try again.',
  },
  PAYLOAD_TOO_LARGE: {
    title: 'The request is too large',
    advice: 'Send less.',
  },
  NOT_FOUND: {
    title: 'There is nothing here',
    advice: 'Correct the path.',
    page: 'This page does not exist.',
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
    page: 'The sign-in through your organisation was not accepted. Try again.',
  },
  SAML_MFA_MISSING: {
    title: 'The identity provider proved no second factor',
    advice: 'Sign in at the identity provider with a second factor.',
    page: 'Your organisation did not confirm a second factor. Sign in there with a second factor and try again.',
  },
  SAML_USER_NOT_ALLOWED: {
    title: 'This user of the identity provider is not admitted',
    advice: 'Ask an administrator.',
    page: 'Your account may not sign in here. Ask your administrator.',
  },
  UNAVAILABLE: {
    title: 'The service cannot answer now',
    advice: 'Wait as long as Retry-After says, then send the request again.',
    page: 'The service is not available at the moment.',
  },
  INTERNAL_ERROR: {
    title: 'The service failed',
    advice: 'Report the request_id to the operator.',
    page: 'The service could not do this because of an error. Try again later.',
  },
};
