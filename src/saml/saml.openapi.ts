import { SCHEMES } from '../auth/api/api.js';
import { REFRESH_TOKEN, SAML_REQUEST, SESSION } from '../auth/cookies.js';
import { ANONYMOUS, type OperationOptions } from '../web/openapi/operation.js';

export const LIST_IDPS: OperationOptions = { summary: 'Identity providers that staff sign in through' };

export const START_SSO: OperationOptions = {
  summary: 'Begin a login at an identity provider',
  description:
    'Sends the browser there: by 303, or by a page that posts itself. With `acr` or `prompt` its session there is no ' +
    'proof, and a user who is signed in here by the same identity provider must come back as the same user (step-up). For ' +
    'browsers on their way, not for what a page loads.',
  errors: ['CROSS_SITE', 'NOT_FOUND', 'UNAVAILABLE'],
  cookies: [SAML_REQUEST],
};

export const CONSUME_RESPONSE: OperationOptions = {
  summary: 'Take the answer of an identity provider',
  description:
    'Sends the browser on to where it wanted to go, with a new session, or to a page for the second factor where that is ' +
    'still due here. For browsers, which an identity provider makes post it.',
  errors: ['NOT_FOUND', 'SAML_RESPONSE_INVALID', 'SAML_MFA_MISSING', 'SAML_USER_NOT_ALLOWED', 'UNAVAILABLE'],
  cookies: [SESSION, REFRESH_TOKEN, SAML_REQUEST],
};

export const FORWARDING_SCRIPT_FILE: OperationOptions = {
  summary: 'Script of the page that posts itself to an identity provider',
};

export const SHOW_METADATA: OperationOptions = {
  summary: 'Our SAML metadata for an identity provider',
  description: 'With a key of ours also how to encrypt for us, and where single logout is taken.',
  errors: ['NOT_FOUND'],
};

const ON_LOGOUT =
  'A request ends the sessions here that belong to the one named at this identity provider, and is answered there; the ' +
  'answer to a request of ours leads to the sign-in page. Both must be signed. By 303, or by a page that posts itself.';

export const LOGOUT_BY_QUERY: OperationOptions = {
  summary: 'Take a logout message of an identity provider by HTTP-Redirect',
  description: `${ON_LOGOUT} The query is that of SAML bindings 3.4.4: \`SAMLRequest\` or \`SAMLResponse\`, \`RelayState\`, \`SigAlg\` and \`Signature\`.`,
  errors: ['NOT_FOUND', 'SAML_RESPONSE_INVALID', 'UNAVAILABLE'],
  cookies: [SESSION, REFRESH_TOKEN],
};

export const LOGOUT_BY_FORM: OperationOptions = {
  ...LOGOUT_BY_QUERY,
  summary: 'Take a logout message of an identity provider by HTTP-POST',
  description: ON_LOGOUT,
};

export const LOG_OUT: OperationOptions = {
  summary: 'End this session, and the one at the identity provider with it',
  description:
    'The own session ends first. Then the browser is sent to the identity provider with a request for a logout: by 303, or ' +
    'by a page that posts itself. Without a session of this provider, or where it takes no such request, the sign-in page ' +
    'is next. Takes an access token or the cookie `SESSION`, and as well who has neither.',
  errors: ['NOT_FOUND', 'INVALID_TOKEN'],
  security: [ANONYMOUS, SCHEMES.accessToken, SCHEMES.session],
  cookies: [SESSION, REFRESH_TOKEN],
};
