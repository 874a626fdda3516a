import { SCHEMES } from '../../signin/auth/api/api.js';
import { DEVICE, REFRESH_TOKEN, SESSION, SIGN_IN_FORM, TRUSTED_DEVICE } from '../../signin/auth/cookies.js';
import type { ErrorCode } from '../../kernel/errors/error-code.js';
import { ANONYMOUS, type OperationOptions } from '../../platform/web/openapi/operation.js';

const OF_CODE: readonly ErrorCode[] = ['MFA_CODE_INVALID', 'MFA_LOCKED', 'MFA_STATE_CONFLICT'];
const FORM = 'Accepts the form of the page, with its token `csrf`.';
const NEEDS_PROOF =
  'Needs `code` or `credential` if the last proof of the second factor is too old, or weaker than policy demands. If policy ' +
  'demands a passkey and the account has one, only `credential` is accepted.';

export const SHOW_HOME: OperationOptions = {
  redirects: true,
  summary: 'Home page of a signed-in user',
  description:
    'Shows who is signed in, how and since when, and the state of the account. Redirects a browser without a session to ' +
    'the sign-in page.',
  security: [ANONYMOUS, SCHEMES.session],
};

export const RESUME: OperationOptions = {
  redirects: true,
  summary: 'Continue with an existing session',
  description: 'Redirects a browser with a full session to the home page. Any other browser stays on its page.',
  security: [ANONYMOUS, SCHEMES.session],
};

export const ASK_SIGN_OUT: OperationOptions = {
  redirects: true,
  summary: 'Ask the user whom an application wants to sign out',
};
export const SIGN_OUT: OperationOptions = {
  redirects: true,
  summary: 'Sign out by the form of any page',
  description:
    `${FORM} Ends the session of the browser, complete or not. For staff it also ends the session at the identity ` +
    'provider, if that accepts such requests: the response is a page that forwards to it. Otherwise it redirects to the ' +
    'sign-in page.',
  security: [ANONYMOUS, SCHEMES.session],
  cookies: [SESSION, REFRESH_TOKEN],
};

export const ESTIMATE_PASSWORD: OperationOptions = {
  summary: 'How strong a new password is, for the script of a page',
  description:
    'Needs the token `csrf` of a form of the page. Nothing is stored, and breached passwords are not looked up. `UNAVAILABLE` ' +
    'while many passwords wait.',
  security: [ANONYMOUS, SCHEMES.session],
  errors: ['CROSS_SITE', 'UNAVAILABLE'],
};

export const SHOW_SIGN_IN: OperationOptions = {
  redirects: true,
  summary: 'Page to sign in',
  description:
    'By username and password, or at an identity provider. Redirects a browser that is signed in to `return_to`, unless ' +
    '`again` is present.',
  cookies: [SIGN_IN_FORM],
};

export const SIGN_IN: OperationOptions = {
  summary: 'Sign in by the form of the page',
  description: `${FORM} Redirects to \`return_to\`, or first to a page for the second factor. If the same user is signed in already, the password is not verified again.`,
  security: [ANONYMOUS, SCHEMES.trustedDevice],
  errors: ['INVALID_CREDENTIALS', 'RATE_LIMITED', 'PASSWORD_CHANGE_REQUIRED', 'PASSKEY_REQUIRED'],
  cookies: [SESSION, DEVICE, TRUSTED_DEVICE],
};

export const SHOW_PASSKEY_SIGN_IN: OperationOptions = {
  redirects: true,
  summary: 'Address of the form for a passkey alone',
  description: 'Redirects to the sign-in page.',
};

export const SIGN_IN_BY_PASSKEY: OperationOptions = {
  summary: 'Sign in by a passkey alone, by the form of the page',
  description:
    `${FORM} Redirects to \`return_to\`, or first to the page for a code if the authenticator has not verified its user. Only if ` +
    '`app.security.mfa.passkey.sign-in` is not `off`.',
  errors: ['INVALID_CREDENTIALS', 'RATE_LIMITED', 'MFA_LOCKED', 'NOT_FOUND'],
  cookies: [SESSION, DEVICE],
};

export const SHOW_VERIFY: OperationOptions = {
  redirects: true,
  summary: 'Page to prove the second factor',
  description:
    'Redirects a browser whose session has a fresh proof of it to `return_to`. Staff without an authenticator app here get ' +
    'a link to a forced login at their identity provider.',
};

export const VERIFY: OperationOptions = {
  summary: 'Prove the second factor by the form of the page',
  description: `${FORM} Second step of a session, or step-up of a full login, by \`code\` or \`credential\`; redirects to \`return_to\`.`,
  errors: OF_CODE,
  cookies: [REFRESH_TOKEN, SESSION, DEVICE],
};

export const SHOW_SETUP: OperationOptions = {
  redirects: true,
  summary: 'Page to set up a passkey or an authenticator app',
  description:
    'Creates nothing. Offers what the account may set up; shows the pending secret of this login again, unless `choose` is ' +
    'present, and warns if another login has one. Redirects a login that lacks its second step only to the page for it.',
};

export const BEGIN_SETUP: OperationOptions = {
  redirects: true,
  summary: 'Begin to set up an authenticator app by the form of the page',
  description: `${FORM} Creates a pending secret and redirects to the page that shows it. A repeated form keeps the secret. The pending secret of another login is replaced only if the form says so.`,
  errors: ['STEP_UP_REQUIRED', 'MFA_REQUIRED', 'MFA_LOCKED', 'MFA_STATE_CONFLICT'],
};

export const SHOW_CONFIRM: OperationOptions = {
  redirects: true,
  summary: 'Address of the form for a new secret',
  description: 'Redirects to the setup page, which shows the pending secret of this login.',
};

export const SHOW_CODES: OperationOptions = {
  redirects: true,
  summary: 'Page with new backup codes',
  description:
    'Shows the codes to the session that created them, for ten minutes, until it confirms them; otherwise redirects.',
};

export const CONFIRM_CODES: OperationOptions = {
  summary: 'Confirm that the new backup codes are saved, by the form of the page',
  description: `${FORM} The page does not show them again.`,
};

export const SHOW_SET_UP_PASSKEY: OperationOptions = {
  redirects: true,
  summary: 'Address of the form for a new passkey',
  description: 'Redirects to the setup page, which offers a passkey.',
};

export const SET_UP_PASSKEY: OperationOptions = {
  redirects: true,
  summary: 'Set up a passkey by the form of the page',
  description:
    `${FORM} With \`credential\`, registers the passkey and redirects, to the page with the backup codes if it is the first ` +
    'authenticator; that page completes a half-authenticated login by the passkey. Without `credential`, shows the ' +
    'page with new options, for which a half-authenticated login whose account has an authenticator app sends `code`.',
  errors: ['STEP_UP_REQUIRED', 'MFA_REQUIRED', ...OF_CODE],
};

export const CONFIRM: OperationOptions = {
  redirects: true,
  summary: 'Make the new secret active by the form of the page',
  description: `${FORM} Shows ten new backup codes, once, with a link to \`return_to\`; for a further app, redirects there.`,
  errors: ['STEP_UP_REQUIRED', 'MFA_REQUIRED', ...OF_CODE],
  cookies: [REFRESH_TOKEN, SESSION, DEVICE],
};

export const SHOW_ASSET: OperationOptions = {
  summary: 'Stylesheet, script, icon or logo of the pages',
  description: 'The name changes with the content, so that browsers keep it.',
  errors: ['NOT_FOUND'],
};

export const FAVICON: OperationOptions = { summary: 'Icon of the pages' };

export const SHOW_ACCOUNT: OperationOptions = {
  summary: 'Page about the security of the account',
  description: 'State of the second factor, sessions, trusted browsers, language. `done` names what was just changed.',
};

export const END_SESSION: OperationOptions = {
  summary: 'End one session, or all others, by the form of the page',
  description: `${FORM} A session that has ended meanwhile is no error.`,
};

export const END_DEVICE: OperationOptions = {
  summary: 'End the trust in a browser by the form of the page',
  description: FORM,
};

export const CHOOSE_LANGUAGE: OperationOptions = {
  summary: 'Choose the language of pages and mails by the form of the page',
  description: FORM,
};

export const SHOW_NEW_CODES: OperationOptions = { summary: 'Page to create new backup codes' };

export const NEW_CODES: OperationOptions = {
  summary: 'Create new backup codes by the form of the page',
  description: `${FORM} Redirects to the page with the codes. ${NEEDS_PROOF}`,
  errors: OF_CODE,
  cookies: [REFRESH_TOKEN, SESSION, DEVICE],
};

export const SHOW_REPLACE: OperationOptions = { summary: 'Page to replace the authenticator app' };

export const REPLACE: OperationOptions = {
  summary: 'Begin to replace the authenticator app by the form of the page',
  description: `${FORM} Redirects to the setup page. ${NEEDS_PROOF}`,
  errors: OF_CODE,
  cookies: [REFRESH_TOKEN, SESSION, DEVICE],
};

export const SHOW_ADD_APP: OperationOptions = {
  redirects: true,
  summary: 'Page to add an authenticator app',
  description: 'Redirects an account without a second factor to the setup page.',
};

export const ADD_APP: OperationOptions = {
  summary: 'Begin to add an authenticator app by the form of the page',
  description: `${FORM} Redirects to the setup page. ${NEEDS_PROOF}`,
  errors: OF_CODE,
  cookies: [REFRESH_TOKEN, SESSION, DEVICE],
};

export const SHOW_ADD_PASSKEY: OperationOptions = {
  redirects: true,
  summary: 'Page to add a passkey',
  description:
    'Redirects to the page that proves the second factor if its last proof is too old, or weaker than policy demands, and to ' +
    'the setup page if the account has no second factor. 404 if passkeys cannot be used here.',
  errors: ['NOT_FOUND'],
};

export const ADD_PASSKEY: OperationOptions = {
  redirects: true,
  summary: 'Add a passkey by the form of the page',
  description:
    `${FORM} \`credential\` is the response to \`POST /2fa/passkeys/registration/options\`. The first authenticator of an ` +
    'account comes with backup codes, which the page shows once; otherwise it redirects to the page about the account.',
  errors: ['STEP_UP_REQUIRED', 'MFA_LOCKED', 'MFA_STATE_CONFLICT'],
};

export const SHOW_RENAME_AUTHENTICATOR: OperationOptions = {
  summary: 'Page to rename an authenticator',
  errors: ['NOT_FOUND'],
};

export const RENAME_AUTHENTICATOR: OperationOptions = {
  summary: 'Rename an authenticator by the form of the page',
  description: `${FORM} ${NEEDS_PROOF}`,
  errors: ['NOT_FOUND', ...OF_CODE],
  cookies: [REFRESH_TOKEN, SESSION, DEVICE],
};

export const SHOW_REMOVE_AUTHENTICATOR: OperationOptions = {
  summary: 'Page to remove an authenticator',
  description: 'If the authenticator cannot be removed, the page says why in place of the form.',
  errors: ['NOT_FOUND'],
};

export const REMOVE_AUTHENTICATOR: OperationOptions = {
  summary: 'Remove an authenticator by the form of the page',
  description: `${FORM} ${NEEDS_PROOF} Other sessions and trusted browsers end, and the session cookie is replaced.`,
  errors: ['NOT_FOUND', ...OF_CODE],
  cookies: [REFRESH_TOKEN, SESSION, DEVICE],
};

export const SHOW_TURN_OFF: OperationOptions = { summary: 'Page to turn off the second factor' };

export const TURN_OFF: OperationOptions = {
  summary: 'Turn off the second factor by the form of the page',
  description: `${FORM} Its \`code\` or \`credential\` is also the fresh proof of the second factor. The session cookie is replaced.`,
  cookies: [SESSION, REFRESH_TOKEN],
  errors: OF_CODE,
};

export const SHOW_PASSWORD: OperationOptions = { summary: 'Page to change the password' };

export const CHANGE_PASSWORD: OperationOptions = {
  summary: 'Change the password by the form of the page',
  description: `${FORM} ${NEEDS_PROOF} An account without a second factor needs neither. The session cookie is replaced.`,
  cookies: [SESSION, REFRESH_TOKEN],
  errors: ['INVALID_CREDENTIALS', 'RATE_LIMITED', 'STEP_UP_REQUIRED', 'CONFLICT', ...OF_CODE],
};

export const SHOW_ADDRESS: OperationOptions = {
  summary: 'Page to change the mail address',
  description: 'Exists only if a mail relay is configured.',
  errors: ['NOT_FOUND'],
};

export const REQUEST_ADDRESS: OperationOptions = {
  summary: 'Request a link that confirms a mail address by the form of the page',
  description: `${FORM} ${NEEDS_PROOF} An account without a second factor needs its password \`pw\`, or a fresh login.`,
  cookies: [SESSION, REFRESH_TOKEN, DEVICE],
  errors: ['INVALID_CREDENTIALS', 'RATE_LIMITED', 'STEP_UP_REQUIRED', 'CONFLICT', 'NOT_FOUND', ...OF_CODE],
};

export const VERIFY_ADDRESS: OperationOptions = {
  summary: 'Request a link that verifies the present mail address by the form of the page',
  description: FORM,
  errors: ['RATE_LIMITED', 'NOT_FOUND'],
};

export const FIND_PASSWORD_PAGE: OperationOptions = {
  redirects: true,
  summary: 'Well-known address of the page to change the password',
  description: 'Redirects there, for password managers.',
};

export const SHOW_ACTIVITY: OperationOptions = {
  summary: 'Page with the security events of the account',
  description: 'Newest first; `after` continues an earlier page.',
};
