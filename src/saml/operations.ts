import { REFRESH_TOKEN, SAML_REQUEST, SESSION } from '../auth/cookies.js';
import type { OperationFacts } from '../server/openapi/operation.js';

export const LIST_IDPS: OperationFacts = { summary: 'Identity providers that staff sign in through' };

export const DEPART: OperationFacts = {
  summary: 'Begin a login at an identity provider',
  about:
    'Sends the browser there: by 303, or by a page that posts itself. With `acr` its session there is no proof, and who ' +
    'is signed in here by the same identity provider must come back as the same person (step-up).',
  refuses: ['NOT_FOUND', 'UNAVAILABLE'],
  sets: [SAML_REQUEST],
};

export const ARRIVE: OperationFacts = {
  summary: 'Take the answer of an identity provider',
  about:
    'Sends the browser on to where it wanted to go, with a new session, or to a page for the second factor where that is ' +
    'still due here. For browsers, which an identity provider makes post it.',
  refuses: ['NOT_FOUND', 'SAML_RESPONSE_INVALID', 'SAML_MFA_MISSING', 'SAML_USER_NOT_ALLOWED', 'UNAVAILABLE'],
  sets: [SESSION, REFRESH_TOKEN, SAML_REQUEST],
};

export const FORWARD: OperationFacts = { summary: 'Script of the page that posts itself to an identity provider' };
