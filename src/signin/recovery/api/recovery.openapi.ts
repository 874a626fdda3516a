import { accessCodeResponse } from '../../auth/api/responses.schema.js';
import type { OperationOptions } from '../../../platform/web/openapi/operation.js';

export const FORGOT: OperationOptions = {
  summary: 'Request a link to choose a new password',
  description:
    'The response is the same for every id. The mail is sent later, to the address of the account, at most once in five ' +
    'minutes. Staff, disabled accounts and accounts without an address get none. Each request counts like a wrong password.',
  errors: ['RATE_LIMITED'],
};

export const RESET: OperationOptions = {
  summary: 'Choose a new password by a mailed link',
  description:
    'Ends all sessions, trusted devices and logins in progress, and signs nobody in. The second factor and its lock stay. ' +
    'A weak password leaves the link valid.',
  errors: ['LINK_INVALID'],
};

export const UNLOCK: OperationOptions = {
  summary: 'End the lock of the second factor by a mailed link',
  description: 'The link is valid for the lock that it was mailed about, and works once.',
  errors: ['LINK_INVALID'],
};

export const ACCEPT_INVITATION: OperationOptions = {
  summary: 'Choose the first password by the link of an invitation',
  description:
    'The user then signs in with it, and sets up a second factor. A weak password leaves the link valid. If the second factor ' +
    'needs a temporary access code (`app.security.mfa.access-code.policy`), the status is 200, and the response shows the code once.',
  also: { status: 200, schema: accessCodeResponse },
  errors: ['LINK_INVALID'],
};

export const REQUEST_ADDRESS: OperationOptions = {
  summary: 'Request a link that confirms a mail address',
  description:
    'Mails a link to the address, at most once in five minutes; the address is set and verified once it is confirmed there, and a ' +
    'notice goes to the present one. Another address needs a fresh proof of the second factor; without a second factor, a fresh ' +
    'login or the password `pw`. The present address needs neither. The address of staff follows the identity provider: 409.',
  errors: ['INVALID_CREDENTIALS', 'STEP_UP_REQUIRED', 'RATE_LIMITED', 'CONFLICT', 'NOT_FOUND'],
};

export const CONFIRM_ADDRESS: OperationOptions = {
  summary: 'Confirm a mail address by the link that was mailed to it',
  description:
    'Sets the address, as verified. The link is void once the address of the account has changed otherwise, or something has ended ' +
    'its logins in progress, such as another password or a report.',
  errors: ['LINK_INVALID'],
};

export const NOT_ME: OperationOptions = {
  summary: 'Report by the link of a notice: this was not me',
  description:
    'Ends all sessions, trusted devices and logins in progress. The password is no longer accepted; a link to choose ' +
    'another one is mailed. A mail address that is newer than the notice is removed instead, and no link is mailed. The ' +
    'second factor stays.',
  errors: ['LINK_INVALID'],
};
