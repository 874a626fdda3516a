import type { ErrorCode } from '../../errors/error-code.js';
import { NOBODY, type OperationFacts } from '../../web/openapi/operation.js';
import { BY } from './api.js';
import { DEVICE, REFRESH_TOKEN, SESSION, TRUSTED_DEVICE } from '../cookies.js';

/** What the password step refuses. */
const OF_PASSWORD_STEP: readonly ErrorCode[] = ['INVALID_CREDENTIALS', 'RATE_LIMITED', 'PASSWORD_CHANGE_REQUIRED'];
/** What routes that take a password refuse. */
const OF_PASSWORD: readonly ErrorCode[] = ['INVALID_CREDENTIALS', 'RATE_LIMITED'];
/** What routes that take a code refuse. */
const OF_CODE: readonly ErrorCode[] = ['MFA_CODE_INVALID', 'MFA_LOCKED', 'MFA_STATE_CONFLICT'];

export const LOGIN: OperationFacts = {
  summary: 'Password step of a login that ends in tokens',
  about:
    'With a second factor, or where policy demands one, the answer is an `mfa_token` for the next step; otherwise, or ' +
    'from a trusted browser, the login is complete. Wrong passwords and unknown ids are answered alike. A temporary ' +
    'password must be replaced by `new_pw`.',
  by: [NOBODY, BY.trustedDevice],
  refuses: OF_PASSWORD_STEP,
  sets: [REFRESH_TOKEN, DEVICE, TRUSTED_DEVICE],
};

export const SECOND_STEP: OperationFacts = {
  summary: 'Second step of a login that ends in tokens',
  about:
    '`code` is six digits of the authenticator app or a backup code. Five wrong ones in a row lock the second factor. ' +
    'With `trust_device` this browser may leave the second step out for a while, where that is switched on.',
  refuses: ['MFA_TOKEN_INVALID', ...OF_CODE],
  sets: [REFRESH_TOKEN, DEVICE, TRUSTED_DEVICE],
};

export const REFRESH: OperationFacts = {
  summary: 'New access token for the refresh cookie',
  about: 'The cookie is exchanged for its one successor; how the login was proven does not change.',
  by: [BY.refreshToken],
  refuses: ['REFRESH_INVALID'],
  sets: [REFRESH_TOKEN],
};

export const REVOKE: OperationFacts = {
  summary: 'End the session of the refresh cookie',
  about: 'Done as well where there is no live one.',
  by: [NOBODY, BY.refreshToken],
  sets: [REFRESH_TOKEN, SESSION],
};

export const LOGOUT: OperationFacts = { summary: 'End this session', sets: [REFRESH_TOKEN, SESSION] };

export const INTROSPECT: OperationFacts = {
  summary: 'Whether an access token is live (RFC 7662)',
  about: 'For registered clients. Of anything that is no live access token, nothing but `active` is told.',
  by: [BY.client],
  refuses: OF_PASSWORD,
};

export const OPEN_SESSION: OperationFacts = {
  summary: 'Password step of the web portal',
  about:
    'Answers with the cookie of a session: a half-authenticated one, for `/2fa/**` alone, while the second factor is ' +
    'open; otherwise a full one. A temporary password must be replaced by `new_pw`.',
  by: [NOBODY, BY.trustedDevice],
  refuses: OF_PASSWORD_STEP,
  sets: [SESSION, DEVICE, TRUSTED_DEVICE],
};

export const SHOW_SESSION: OperationFacts = { summary: 'Who is signed in, with authorities' };

export const END_SESSION: OperationFacts = {
  summary: 'End the session of the cookie',
  about: 'Done as well where there is none.',
  by: [NOBODY, BY.session],
  sets: [SESSION],
};

export const SHOW_FACTOR: OperationFacts = { summary: 'State of the own second factor' };

export const SETUP: OperationFacts = {
  summary: 'Begin to set up an authenticator app',
  about:
    'Makes a secret and ten backup codes, which count from `POST /2fa/confirm` on; asked again, new ones replace them. ' +
    'Needs a fresh login or the password `pw`; with an active second factor a fresh proof of it, and that one stays ' +
    'valid until the new one is confirmed. Where the second factor is open, only where policy demands one and none is ' +
    'set up.',
  refuses: [...OF_PASSWORD, 'STEP_UP_REQUIRED', 'MFA_REQUIRED', 'MFA_LOCKED', 'MFA_STATE_CONFLICT'],
};

const PICTURE = 'Once, and only for the login that asked for the secret. `HEAD` takes it as well.';
export const QR_SVG: OperationFacts = {
  summary: 'QR code of the secret to be confirmed, as SVG',
  about: PICTURE,
  refuses: ['MFA_REQUIRED', 'NOT_FOUND'],
};
export const QR_PNG: OperationFacts = { ...QR_SVG, summary: 'QR code of the secret to be confirmed, as PNG' };

export const CONFIRM: OperationFacts = {
  summary: 'Make the new secret active by a first code',
  about:
    'Six digits of the app; the login counts as proven with both factors from then on. A caller by session gets a new ' +
    'cookie in place of tokens. Where a secret was replaced, all other sessions end.',
  refuses: ['MFA_REQUIRED', ...OF_CODE],
  sets: [REFRESH_TOKEN, SESSION, DEVICE],
};

export const VERIFY: OperationFacts = {
  summary: 'Prove the second factor: second step of a session, or step-up of a full login',
  about: 'A caller by session gets a new cookie in place of tokens.',
  refuses: OF_CODE,
  sets: [REFRESH_TOKEN, SESSION, DEVICE],
};

export const DISABLE: OperationFacts = {
  summary: 'Take the own second factor away',
  about: 'Needs a fresh proof of it and a code. Backup codes, trusted browsers and all other sessions end with it.',
  refuses: ['STEP_UP_REQUIRED', ...OF_CODE],
};

export const REISSUE: OperationFacts = {
  summary: 'Ten new backup codes',
  about: 'In place of all earlier ones; needs a fresh proof of the second factor.',
  refuses: ['STEP_UP_REQUIRED', 'MFA_STATE_CONFLICT'],
};

export const ME: OperationFacts = { summary: 'Who is asking, and how they signed in' };

export const SETTLEMENT: OperationFacts = { summary: 'Example of a function that asks for the second factor' };

export const CHANGE_PASSWORD: OperationFacts = {
  summary: 'Change the own password',
  about: 'With a second factor, a fresh proof of it or `code`. All other sessions and the trusted browsers end.',
  refuses: ['STEP_UP_REQUIRED', 'CONFLICT', ...OF_PASSWORD, ...OF_CODE],
};

export const LIST_SESSIONS: OperationFacts = { summary: 'Own sessions, newest first' };
export const REVOKE_SESSION: OperationFacts = { summary: 'End one of the own sessions', refuses: ['NOT_FOUND'] };
export const REVOKE_OTHERS: OperationFacts = { summary: 'End all own sessions but this one' };
export const LIST_EVENTS: OperationFacts = { summary: 'What happened to the own account, newest first' };
export const LIST_DEVICES: OperationFacts = { summary: 'Browsers that may leave the second step out, newest first' };
export const REVOKE_DEVICE: OperationFacts = { summary: 'Trust one of them no longer', refuses: ['NOT_FOUND'] };
