import type { OperationOptions } from '../../../platform/web/openapi/operation.js';

/** The description of `@ApiTag('Administration')`. */
export const ADMINISTRATION =
  'Users, events, keys and applications. `ROLE_HELPDESK` may search and view users, and with a `reason` and a `ticket` unlock them, remove ' +
  'one of their authenticators and reset their second factor, except for accounts with `ROLE_ADMIN`, `ROLE_MANAGEMENT` or ' +
  '`ROLE_HELPDESK` (403) and the own account (409). No response contains a secret, a hash or a code, apart from a new ' +
  'temporary password.';

export const LIST_USERS: OperationOptions = {
  summary: 'Search users',
  description: 'In the order of their login ids.',
};
export const CREATE_USER: OperationOptions = {
  summary: 'Create a user',
  errors: ['CONFLICT'],
};
export const SHOW_USER: OperationOptions = { summary: 'Show a user', errors: ['NOT_FOUND'] };
export const CHANGE_USER: OperationOptions = {
  summary: 'Change a user',
  description:
    'Makes all changes or none. Other roles and the status `disabled` end all sessions and the trust in all devices. ' +
    'The status `disabled` also ends all mailed links, which are not valid again when the account is enabled. ' +
    'Another address is not verified unless `email_verified` says so. Administrators cannot disable or demote the last ' +
    'administrator or themselves, and cannot change or verify their own address here: 409.',
  errors: ['NOT_FOUND', 'CONFLICT'],
};
export const DELETE_USER: OperationOptions = {
  summary: 'Delete a user with sessions and second factor',
  description: 'The security events stay. Export the data of the user before, if they are to be handed over.',
  errors: ['NOT_FOUND', 'CONFLICT'],
};
export const UNLOCK_USER: OperationOptions = {
  summary: 'End the lock of the second factor',
  description: 'Also 204 if nothing is locked.',
  errors: ['NOT_FOUND', 'CONFLICT'],
};
export const RESET_MFA: OperationOptions = {
  summary: 'Remove the second factor',
  description: 'Ends all sessions; the next login must set up a second factor. Verify the identity of the user first.',
  errors: ['NOT_FOUND', 'CONFLICT'],
};
export const REMOVE_USER_AUTHENTICATOR: OperationOptions = {
  summary: 'Remove one of the authenticators of a user',
  description:
    'For a lost or stolen one. Ends all sessions and the trust in all devices; the user signs in with another one. The last ' +
    'authenticator stays, and so does the last app while passkeys cannot be used (409 `MFA_STATE_CONFLICT`): reset the second ' +
    'factor instead.',
  errors: ['NOT_FOUND', 'CONFLICT', 'MFA_STATE_CONFLICT'],
};
export const ISSUE_ACCESS_CODE: OperationOptions = {
  summary: 'Issue a temporary access code',
  description:
    'In place of an earlier one. It admits the set-up of the first authenticator, once, and is shown only here. Only for an ' +
    'account whose next authenticator needs one by `app.security.mfa.access-code.policy` (409 `MFA_STATE_CONFLICT`).',
  errors: ['NOT_FOUND', 'CONFLICT', 'MFA_STATE_CONFLICT'],
};
export const RESET_PASSWORD: OperationOptions = {
  summary: 'Set a temporary password',
  description: 'The user must replace it at the next sign-in. Ends all sessions and the trust in all devices.',
  errors: ['NOT_FOUND', 'CONFLICT'],
};
export const LIST_USER_SESSIONS: OperationOptions = { summary: 'List the sessions of a user', errors: ['NOT_FOUND'] };
export const END_USER_SESSIONS: OperationOptions = { summary: 'End all sessions of a user', errors: ['NOT_FOUND'] };
export const END_USER_SESSION: OperationOptions = { summary: 'End one session of a user', errors: ['NOT_FOUND'] };
export const LIST_USER_DEVICES: OperationOptions = {
  summary: 'List the trusted devices of a user',
  errors: ['NOT_FOUND'],
};
export const END_USER_TRUST: OperationOptions = {
  summary: 'End the trust in a device of a user',
  errors: ['NOT_FOUND'],
};
export const EXPORT_USER: OperationOptions = {
  summary: 'Export what is stored about a user',
  description:
    'For requests by Article 15 or 20 of the GDPR. Contains no secret, hash or code. The export is an event.',
  errors: ['NOT_FOUND'],
};
export const LIST_ALL_EVENTS: OperationOptions = {
  summary: 'Search security events',
  description: 'Newest first. `ROLE_HELPDESK` must name the `user`, an account on which it may act.',
  errors: ['NOT_FOUND'],
};
export const EXPORT_EVENTS: OperationOptions = {
  summary: 'Export security events',
  description:
    'All events of the filter, newest first. In CSV, an apostrophe precedes every cell that a spreadsheet would run as a ' +
    'formula; the header `Csv-Formula-Escape` says so. The export is an event.',
  errors: ['NOT_FOUND'],
};
export const LIST_CLIENTS: OperationOptions = {
  summary: 'List the configured applications and resource servers',
  description:
    'In the order of the configuration, with the number of their signed-in sessions. Contains no secret and no key.',
};
export const ROTATE_KEYS: OperationOptions = {
  summary: 'Rotate the signing keys',
  description: 'Publishes the next keys; they sign a day later. If the next keys exist, nothing changes.',
};
