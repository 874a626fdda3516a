import type { ErrorCode } from '../../../kernel/errors/error-code.js';
import { ANONYMOUS, type OperationOptions } from '../../../platform/web/openapi/operation.js';
import { SCHEMES } from './api.js';
import { DEVICE, REFRESH_TOKEN, SESSION, TRUSTED_DEVICE } from '../cookies.js';

/** Errors of the password step. */
const OF_PASSWORD_STEP: readonly ErrorCode[] = [
  ...(['INVALID_CREDENTIALS', 'RATE_LIMITED', 'PASSWORD_CHANGE_REQUIRED', 'PASSKEY_REQUIRED'] as const),
];
/** Errors of routes that accept a password. */
const OF_PASSWORD: readonly ErrorCode[] = ['INVALID_CREDENTIALS', 'RATE_LIMITED'];
/** Errors of routes that accept a one-time code or a backup code. */
const OF_CODE: readonly ErrorCode[] = ['MFA_CODE_INVALID', 'MFA_LOCKED', 'MFA_STATE_CONFLICT'];

/** Which proof of the second factor authorizes a change. */
const BY_PASSKEY = 'If policy demands a passkey and the account has one, only a proof by a passkey is accepted.';

export const LOGIN: OperationOptions = {
  summary: 'Password step of a login that ends in tokens',
  description:
    'If the account has a second factor, or policy demands one, the response is an `mfa_token` for the next step; ' +
    'otherwise, or from a trusted browser, the login is complete. Wrong passwords and unknown ids get the same response. ' +
    'A temporary password must be replaced by `new_pw`.',
  security: [ANONYMOUS, SCHEMES.trustedDevice],
  errors: OF_PASSWORD_STEP,
  cookies: [REFRESH_TOKEN, DEVICE, TRUSTED_DEVICE],
};

export const SECOND_STEP: OperationOptions = {
  summary: 'Second step of a login that ends in tokens',
  description:
    '`code` is six digits of an authenticator app or a backup code; it is rejected if only a passkey completes the login ' +
    '(`POST /2fa/passkeys/assertion`). Five wrong codes or assertions in a row lock the second factor. ' +
    'With `trust_device` this browser skips the second step for a while, if trusted devices are enabled.',
  errors: ['MFA_TOKEN_INVALID', ...OF_CODE],
  cookies: [REFRESH_TOKEN, DEVICE, TRUSTED_DEVICE],
};

export const PASSKEY_LOGIN_OPTIONS: OperationOptions = {
  summary: 'Begin a login by passkey alone',
  description:
    'Options with a challenge for one assertion within five minutes, and without a list of passkeys: the authenticator offers ' +
    'those that it stores. Only if `app.security.mfa.passkey.sign-in` is not `off`.',
  errors: ['NOT_FOUND'],
};

export const PASSKEY_LOGIN: OperationOptions = {
  summary: 'Login by passkey alone that ends in tokens',
  description:
    'Takes the challenge, also if the assertion is rejected. An authenticator that has verified its user proves two factors ' +
    '(`amr` with `mfa`), and the login is complete; otherwise the response is an `mfa_token` for a code. The `userHandle` is ' +
    'required. Every assertion that is not valid gets the same response, whether or not its passkey exists.',
  errors: ['INVALID_CREDENTIALS', 'RATE_LIMITED', 'MFA_LOCKED', 'NOT_FOUND'],
  cookies: [REFRESH_TOKEN, DEVICE],
};

export const REFRESH: OperationOptions = {
  summary: 'New access token for the refresh cookie',
  description: 'Exchanges the cookie for its only successor; `amr` does not change.',
  security: [SCHEMES.refreshToken],
  errors: ['REFRESH_INVALID'],
  cookies: [REFRESH_TOKEN],
};

export const REVOKE: OperationOptions = {
  summary: 'End the session of the refresh cookie',
  description: 'Succeeds also without a live session.',
  security: [ANONYMOUS, SCHEMES.refreshToken],
  cookies: [REFRESH_TOKEN, SESSION],
};

export const LOGOUT: OperationOptions = { summary: 'End this session', cookies: [REFRESH_TOKEN, SESSION] };

export const INTROSPECT: OperationOptions = {
  summary: 'Whether an access token is live (RFC 7662)',
  description:
    'For registered clients. The response for anything but a live access token has only the member `active`.',
  security: [SCHEMES.client],
  errors: OF_PASSWORD,
};

export const OPEN_SESSION: OperationOptions = {
  summary: 'Password step of the web portal',
  description:
    'Sets the cookie of a session: a half-authenticated one, only for `/2fa/**`, before the second step; otherwise a ' +
    'full one. A temporary password must be replaced by `new_pw`.',
  security: [ANONYMOUS, SCHEMES.trustedDevice],
  errors: OF_PASSWORD_STEP,
  cookies: [SESSION, DEVICE, TRUSTED_DEVICE],
};

export const SHOW_SESSION: OperationOptions = { summary: 'The signed-in user, with authorities' };

export const END_SESSION: OperationOptions = {
  summary: 'End the session of the cookie',
  description: 'Succeeds also without a session.',
  security: [ANONYMOUS, SCHEMES.session],
  cookies: [SESSION],
};

export const SHOW_FACTOR: OperationOptions = { summary: 'State of the own second factor' };

export const SETUP: OperationOptions = {
  summary: 'Begin to set up an authenticator app',
  description:
    'Creates a secret and ten backup codes, which are valid from `POST /2fa/confirm` on; a repeated request replaces ' +
    'them. It takes the place of all active apps, which stay valid until it is confirmed; with `add`, and beside passkeys, ' +
    'it is a further one without backup codes of its own. Requires a fresh login or the password `pw`; with an active second ' +
    `factor a fresh proof of it. ${BY_PASSKEY} Half-authenticated callers may set one up only if policy demands it, the account ` +
    'has none, and an app is strong enough.',
  errors: [...OF_PASSWORD, 'STEP_UP_REQUIRED', 'MFA_REQUIRED', 'MFA_LOCKED', 'MFA_STATE_CONFLICT'],
};

const PICTURE = 'Sent once, and only to the login that requested the secret. A `HEAD` request uses it up, too.';
export const QR_SVG: OperationOptions = {
  summary: 'QR code of the secret to be confirmed, as SVG',
  description: PICTURE,
  errors: ['MFA_REQUIRED', 'NOT_FOUND'],
};
export const QR_PNG: OperationOptions = { ...QR_SVG, summary: 'QR code of the secret to be confirmed, as PNG' };

export const CONFIRM: OperationOptions = {
  summary: 'Make the new secret active by a first code',
  description:
    '`code` is six digits of the app; from then on the login has both factors. A caller by session gets a new cookie in ' +
    'place of tokens. If the secret replaces another one, all other sessions end.',
  errors: ['STEP_UP_REQUIRED', 'MFA_REQUIRED', ...OF_CODE],
  cookies: [REFRESH_TOKEN, SESSION, DEVICE],
};

export const VERIFY: OperationOptions = {
  summary: 'Prove the second factor: second step of a session, or step-up of a full login',
  description:
    'A caller by session gets a new cookie in place of tokens. A code completes and steps up no login for which only a passkey is enough.',
  errors: OF_CODE,
  cookies: [REFRESH_TOKEN, SESSION, DEVICE],
};

export const DISABLE: OperationOptions = {
  summary: 'Remove the own second factor',
  description:
    'Requires a fresh proof of it and a code. Backup codes, trusted browsers and all other sessions end, too. A session cookie is replaced.',
  cookies: [REFRESH_TOKEN, SESSION],
  errors: ['STEP_UP_REQUIRED', ...OF_CODE],
};

export const REISSUE: OperationOptions = {
  summary: 'Ten new backup codes',
  description: `Replaces all earlier ones; requires a fresh proof of the second factor. ${BY_PASSKEY}`,
  errors: ['STEP_UP_REQUIRED', 'MFA_STATE_CONFLICT'],
};

export const REGISTRATION_OPTIONS: OperationOptions = {
  summary: 'Begin to register a passkey',
  description:
    'Options with a challenge for one registration within five minutes. Requires a fresh login or the password `pw`; with an ' +
    `active second factor a fresh proof of it. ${BY_PASSKEY} Half-authenticated callers may register one only if policy demands a second ` +
    'factor that the account lacks; if the account has an authenticator app, they prove it by `code`.',
  errors: [...OF_PASSWORD, 'STEP_UP_REQUIRED', 'MFA_REQUIRED', ...OF_CODE],
};

export const ADD_PASSKEY: OperationOptions = {
  summary: 'Register a passkey',
  description:
    'The first authenticator of an account comes with ten backup codes. A registration proves no possession: `amr` does not ' +
    'change, and a login is completed by an assertion.',
  errors: ['STEP_UP_REQUIRED', 'MFA_REQUIRED', 'MFA_LOCKED', 'MFA_STATE_CONFLICT'],
};

export const ASSERTION_OPTIONS: OperationOptions = {
  summary: 'Begin to use a passkey',
  description:
    'Options with a challenge for one assertion within five minutes. A later request replaces the challenge.',
  errors: ['MFA_LOCKED', 'MFA_STATE_CONFLICT'],
};

export const ASSERT_PASSKEY: OperationOptions = {
  summary: 'Prove a passkey: second step of a login or a session, or step-up of a full login',
  description:
    '`amr` gets `hwk` for a passkey that is bound to its device, `swk` for a synced one. Five wrong assertions or codes in a ' +
    'row lock the second factor. A caller by session gets a new cookie in place of tokens. With `trust_device` this browser ' +
    'skips the second step for a while, if trusted devices are enabled.',
  errors: OF_CODE,
  cookies: [REFRESH_TOKEN, SESSION, DEVICE, TRUSTED_DEVICE],
};

export const RENAME_AUTHENTICATOR: OperationOptions = {
  summary: 'Rename one of the own authenticators',
  description: `Requires a fresh proof of the second factor. ${BY_PASSKEY}`,
  errors: ['STEP_UP_REQUIRED', 'NOT_FOUND'],
};

export const REMOVE_AUTHENTICATOR: OperationOptions = {
  summary: 'Remove one of the own authenticators',
  description:
    `Requires a fresh proof of the second factor. ${BY_PASSKEY} All other sessions and the trusted browsers end. ` +
    'The last authenticator stays, and so does the last app while passkeys cannot be used: `POST /2fa/disable` removes the ' +
    'whole second factor. The last passkey also stays if policy demands one. A session cookie is replaced.',
  cookies: [REFRESH_TOKEN, SESSION],
  errors: ['STEP_UP_REQUIRED', 'NOT_FOUND', 'MFA_STATE_CONFLICT'],
};

export const ME: OperationOptions = { summary: 'The signed-in user, and how they signed in' };

export const SETTLEMENT: OperationOptions = { summary: 'Example of a function that requires the second factor' };

export const CHANGE_PASSWORD: OperationOptions = {
  summary: 'Change the own password',
  description:
    `With a second factor, requires a fresh proof of it or \`code\`. ${BY_PASSKEY} This route takes no assertion: step up ` +
    'first by `POST /2fa/passkeys/assertion`. All other sessions and the trusted browsers end. A session cookie is replaced.',
  cookies: [REFRESH_TOKEN, SESSION],
  errors: ['STEP_UP_REQUIRED', 'CONFLICT', ...OF_PASSWORD, ...OF_CODE],
};

export const LIST_SESSIONS: OperationOptions = { summary: 'Own sessions, newest first' };
export const REVOKE_SESSION: OperationOptions = { summary: 'End one of the own sessions', errors: ['NOT_FOUND'] };
export const REVOKE_OTHERS: OperationOptions = { summary: 'End all other own sessions' };
export const LIST_EVENTS: OperationOptions = { summary: 'Security events of the own account, newest first' };
export const LIST_DEVICES: OperationOptions = { summary: 'Trusted browsers, which skip the second step, newest first' };
export const REVOKE_DEVICE: OperationOptions = { summary: 'Revoke the trust in a browser', errors: ['NOT_FOUND'] };
