import type { OperationOptions } from '../../platform/web/openapi/operation.js';

export const AUTHORIZE: OperationOptions = {
  redirects: true,
  summary: 'Sign a user in to an application (OpenID Connect Core section 3.1.2)',
  description:
    'Redirects the browser to the sign-in pages if that is needed, and then to `redirect_uri` with `code`, `state` and `iss`, or ' +
    'with `error`. A request without a registered `client_id` and `redirect_uri` gets an error page.',
};
export const END_SESSION: OperationOptions = {
  redirects: true,
  summary: 'Sign a user out at the request of an application (OpenID Connect RP-Initiated Logout)',
  description: 'Without an `id_token_hint` of its user, the browser is asked first.',
};
export const PAR: OperationOptions = {
  summary: 'Push an authorization request (RFC 9126)',
  description: 'Errors have the form of RFC 6749 section 5.2.',
};
export const TOKEN: OperationOptions = {
  summary: 'Exchange a code or a refresh token for tokens (RFC 6749 section 3.2)',
  description: 'Errors have the form of RFC 6749 section 5.2.',
};
export const REVOKE: OperationOptions = {
  summary: 'End the session of an access or a refresh token (RFC 7009)',
  description:
    'Clients authenticate as at `/token`. Also 200 for a token that is unknown or of another client. Errors have the form of ' +
    'RFC 6749 section 5.2.',
};
export const USERINFO: OperationOptions = {
  summary: 'Claims about the user of an access token (OpenID Connect Core section 5.3)',
};
export const DISCOVERY: OperationOptions = { summary: 'Metadata of the OpenID provider' };
