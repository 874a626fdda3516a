import { BY } from '../auth/api/api.js';
import { DEVICE, REFRESH_TOKEN, SESSION, SIGN_IN_FORM, TRUSTED_DEVICE } from '../auth/cookies.js';
import type { ErrorCode } from '../errors/error-code.js';
import { NOBODY, type OperationFacts } from '../web/openapi/operation.js';

const OF_CODE: readonly ErrorCode[] = ['MFA_CODE_INVALID', 'MFA_LOCKED', 'MFA_STATE_CONFLICT'];
const FORM = 'Takes the form that the page shows, with its token `csrf`.';

export const SHOW_START: OperationFacts = {
  summary: 'Start page',
  about: 'Shows who is signed in and how, and a button to sign out.',
  by: [NOBODY, BY.session],
};

export const RESUME: OperationFacts = {
  sendsOn: true,
  summary: 'Go on with a session that is there',
  about: 'Sends a browser with a full session to the start page. Any other one stays on the page that it shows.',
  by: [NOBODY, BY.session],
};

export const SIGN_OUT: OperationFacts = {
  sendsOn: true,
  summary: 'Sign out by the form of the start page',
  about:
    `${FORM} Ends the session of the browser, complete or not. Of staff also that at the identity provider, where it takes ` +
    'such requests: the answer is a page that moves on to it. Otherwise the sign-in page is next.',
  by: [NOBODY, BY.session],
  sets: [SESSION, REFRESH_TOKEN],
};

export const SHOW_SIGN_IN: OperationFacts = {
  sendsOn: true,
  summary: 'Page to sign in',
  about:
    'By username and password, or through an identity provider. Sends a browser that is signed in on to `return_to`, unless ' +
    '`again` is present.',
  sets: [SIGN_IN_FORM],
};

export const SIGN_IN: OperationFacts = {
  summary: 'Sign in by the form of the page',
  about: `${FORM} Sends the browser on to \`return_to\`, or to a page for the second factor first. A user who is signed in already is sent on without a look at the password.`,
  by: [NOBODY, BY.trustedDevice],
  refuses: ['INVALID_CREDENTIALS', 'RATE_LIMITED', 'PASSWORD_CHANGE_REQUIRED'],
  sets: [SESSION, DEVICE, TRUSTED_DEVICE],
};

export const SHOW_VERIFY: OperationFacts = {
  sendsOn: true,
  summary: 'Page to prove the second factor',
  about:
    'Sends a browser on to `return_to` whose session has a fresh proof of it. Leads staff without an authenticator app ' +
    'here to a forced login at their identity provider.',
};

export const VERIFY: OperationFacts = {
  summary: 'Prove the second factor by the form of the page',
  about: `${FORM} Second step of a session, or step-up of a full login; sends the browser on to \`return_to\`.`,
  refuses: OF_CODE,
  sets: [REFRESH_TOKEN, SESSION, DEVICE],
};

export const SHOW_SETUP: OperationFacts = {
  summary: 'Page to set up an authenticator app',
  about:
    'Makes nothing. Shows the pending secret of this login again, without codes, and warns where another login has one.',
};

export const BEGIN_SETUP: OperationFacts = {
  sendsOn: true,
  summary: 'Begin to set up an authenticator app by the form of the page',
  about: `${FORM} Shows the secret and ten backup codes. Sent again, it shows the same secret with new codes in place of the earlier ones. Replaces the pending secret of another login only where the form says so.`,
  refuses: ['STEP_UP_REQUIRED', 'MFA_REQUIRED', 'MFA_LOCKED', 'MFA_STATE_CONFLICT'],
};

export const SHOW_CONFIRM: OperationFacts = {
  sendsOn: true,
  summary: 'Page to confirm a new secret',
  about: 'Shows the pending secret of this login again; sends a browser without one on to the page that begins.',
};

export const CONFIRM: OperationFacts = {
  summary: 'Make the new secret active by the form of the page',
  about: `${FORM} Sends the browser on to \`return_to\`.`,
  refuses: ['MFA_REQUIRED', ...OF_CODE],
  sets: [REFRESH_TOKEN, SESSION, DEVICE],
};
