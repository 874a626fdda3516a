import { SCHEMES } from '../auth/api/api.js';
import { REFRESH_TOKEN, SAML_REQUEST, SESSION } from '../auth/cookies.js';
import { ANONYMOUS, type OperationOptions } from '../../platform/web/openapi/operation.js';

export const LIST_IDPS: OperationOptions = { summary: 'List the identity providers of staff' };

export const START_SSO: OperationOptions = {
  summary: 'Start a login at an identity provider',
  description:
    'Sends the browser to the identity provider: by 303, or by a page that submits a form. With `acr` or `prompt` the user ' +
    'must authenticate again, and a user with a session from the same identity provider must return as the same user ' +
    '(step-up). Only for navigations of a browser, not for resources of a page.',
  errors: ['CROSS_SITE', 'NOT_FOUND', 'UNAVAILABLE'],
  cookies: [SAML_REQUEST],
};

export const CONSUME_RESPONSE: OperationOptions = {
  summary: 'Receive the response of an identity provider',
  description:
    'Opens a session and redirects the browser to the requested page, or to a page for the second factor if one is required ' +
    'here. The identity provider has the browser post the response.',
  errors: ['NOT_FOUND', 'SAML_RESPONSE_INVALID', 'SAML_MFA_MISSING', 'SAML_USER_NOT_ALLOWED', 'UNAVAILABLE'],
  cookies: [SESSION, REFRESH_TOKEN, SAML_REQUEST],
};

export const FORWARDING_SCRIPT_FILE: OperationOptions = {
  summary: 'Script that submits the form for an identity provider',
};

export const SHOW_METADATA: OperationOptions = {
  summary: 'SAML metadata of this service for an identity provider',
  description: 'If this service has a key, also its encryption methods and its single logout endpoints.',
  errors: ['NOT_FOUND'],
};

const LOGOUT =
  'A LogoutRequest ends the sessions of this service that belong to the named session at the identity provider; the browser ' +
  'then carries the LogoutResponse there, by 303 or by a page that submits a form. A LogoutResponse to a request of this ' +
  'service redirects to the sign-in page. Both must be signed.';

export const LOGOUT_BY_QUERY: OperationOptions = {
  summary: 'Receive a logout message of an identity provider by HTTP-Redirect',
  description: `${LOGOUT} Query parameters (SAML bindings 3.4.4): \`SAMLRequest\` or \`SAMLResponse\`, \`RelayState\`, \`SigAlg\` and \`Signature\`.`,
  errors: ['NOT_FOUND', 'SAML_RESPONSE_INVALID', 'UNAVAILABLE'],
  cookies: [SESSION, REFRESH_TOKEN],
};

export const LOGOUT_BY_FORM: OperationOptions = {
  ...LOGOUT_BY_QUERY,
  summary: 'Receive a logout message of an identity provider by HTTP-POST',
  description: LOGOUT,
};

export const LOG_OUT: OperationOptions = {
  summary: 'End the session here and at the identity provider',
  description:
    'Ends the session of this service first, and then sends the browser to the identity provider with a LogoutRequest: by ' +
    '303, or by a page that submits a form. Without a session from this provider, or if it accepts no such request, redirects ' +
    'to the sign-in page. Accepts an access token, the cookie `SESSION`, or neither.',
  errors: ['NOT_FOUND', 'INVALID_TOKEN'],
  security: [ANONYMOUS, SCHEMES.accessToken, SCHEMES.session],
  cookies: [SESSION, REFRESH_TOKEN],
};
