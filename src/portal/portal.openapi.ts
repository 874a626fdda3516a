import { SCHEMES } from '../auth/api/api.js';
import { DEVICE, REFRESH_TOKEN, SESSION, SIGN_IN_FORM, TRUSTED_DEVICE } from '../auth/cookies.js';
import type { ErrorCode } from '../errors/error-code.js';
import { ANONYMOUS, type OperationOptions } from '../web/openapi/operation.js';

const OF_CODE: readonly ErrorCode[] = ['MFA_CODE_INVALID', 'MFA_LOCKED', 'MFA_STATE_CONFLICT'];
const FORM = 'Takes the form that the page shows, with its token `csrf`.';

export const SHOW_START: OperationOptions = {
  summary: 'Start page',
  description: 'Shows who is signed in and how, and a button to sign out.',
  security: [ANONYMOUS, SCHEMES.session],
};

export const RESUME: OperationOptions = {
  redirects: true,
  summary: 'Go on with a session that is there',
  description: 'Sends a browser with a full session to the start page. Any other one stays on the page that it shows.',
  security: [ANONYMOUS, SCHEMES.session],
};

export const SIGN_OUT: OperationOptions = {
  redirects: true,
  summary: 'Sign out by the form of the start page',
  description:
    `${FORM} Ends the session of the browser, complete or not. Of staff also that at the identity provider, where it takes ` +
    'such requests: the answer is a page that moves on to it. Otherwise the sign-in page is next.',
  security: [ANONYMOUS, SCHEMES.session],
  cookies: [SESSION, REFRESH_TOKEN],
};

export const SHOW_SIGN_IN: OperationOptions = {
  redirects: true,
  summary: 'Page to sign in',
  description:
    'By username and password, or through an identity provider. Sends a browser that is signed in on to `return_to`, unless ' +
    '`again` is present.',
  cookies: [SIGN_IN_FORM],
};

export const SIGN_IN: OperationOptions = {
  summary: 'Sign in by the form of the page',
  description: `${FORM} Sends the browser on to \`return_to\`, or to a page for the second factor first. A user who is signed in already is sent on without a look at the password.`,
  security: [ANONYMOUS, SCHEMES.trustedDevice],
  errors: ['INVALID_CREDENTIALS', 'RATE_LIMITED', 'PASSWORD_CHANGE_REQUIRED'],
  cookies: [SESSION, DEVICE, TRUSTED_DEVICE],
};

export const SHOW_VERIFY: OperationOptions = {
  redirects: true,
  summary: 'Page to prove the second factor',
  description:
    'Sends a browser on to `return_to` whose session has a fresh proof of it. Leads staff without an authenticator app ' +
    'here to a forced login at their identity provider.',
};

export const VERIFY: OperationOptions = {
  summary: 'Prove the second factor by the form of the page',
  description: `${FORM} Second step of a session, or step-up of a full login; sends the browser on to \`return_to\`.`,
  errors: OF_CODE,
  cookies: [REFRESH_TOKEN, SESSION, DEVICE],
};

export const SHOW_SETUP: OperationOptions = {
  summary: 'Page to set up an authenticator app',
  description:
    'Makes nothing. Shows the pending secret of this login again, without codes, and warns where another login has one.',
};

export const BEGIN_SETUP: OperationOptions = {
  redirects: true,
  summary: 'Begin to set up an authenticator app by the form of the page',
  description: `${FORM} Shows the secret and ten backup codes. Sent again, it shows the same secret with new codes in place of the earlier ones. Replaces the pending secret of another login only where the form says so.`,
  errors: ['STEP_UP_REQUIRED', 'MFA_REQUIRED', 'MFA_LOCKED', 'MFA_STATE_CONFLICT'],
};

export const SHOW_CONFIRM: OperationOptions = {
  redirects: true,
  summary: 'Page to confirm a new secret',
  description: 'Shows the pending secret of this login again; sends a browser without one on to the page that begins.',
};

export const CONFIRM: OperationOptions = {
  summary: 'Make the new secret active by the form of the page',
  description: `${FORM} Sends the browser on to \`return_to\`.`,
  errors: ['MFA_REQUIRED', ...OF_CODE],
  cookies: [REFRESH_TOKEN, SESSION, DEVICE],
};
