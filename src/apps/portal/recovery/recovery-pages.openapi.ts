import { SIGN_IN_FORM } from '../../../signin/auth/cookies.js';
import type { OperationOptions } from '../../../platform/web/openapi/operation.js';

const SHOWS = 'Changes nothing, since mail scanners follow links.';
const USES = 'Accepts the form of the page, with its token `csrf`, and uses the link up.';
const cookies = [SIGN_IN_FORM];

export const SHOW_FORGOT: OperationOptions = {
  summary: 'Page to request a link for a forgotten password',
  description: 'Exists only if a mail relay is configured.',
  errors: ['NOT_FOUND'],
  cookies,
};

export const FORGOT_BY_FORM: OperationOptions = {
  summary: 'Request a link for a forgotten password by the form of the page',
  description: 'The response is the same for every login id. Exists only if a mail relay is configured.',
  errors: ['RATE_LIMITED', 'NOT_FOUND'],
};

export const OPEN_RESET: OperationOptions = {
  summary: 'Page of a link for a forgotten password',
  description: SHOWS,
  errors: ['LINK_INVALID'],
  cookies,
};

export const USE_RESET: OperationOptions = {
  summary: 'Choose a password by the form of the page',
  description: `${USES} Ends all sessions; the second factor stays.`,
  errors: ['LINK_INVALID'],
};

export const OPEN_INVITATION: OperationOptions = {
  summary: 'Page of an invitation',
  description: SHOWS,
  errors: ['LINK_INVALID'],
  cookies,
};

export const USE_INVITATION: OperationOptions = {
  summary: 'Choose the first password by the form of the page',
  description: USES,
  errors: ['LINK_INVALID'],
};

export const OPEN_UNLOCK: OperationOptions = {
  summary: 'Page of a link that ends a lock',
  description: SHOWS,
  errors: ['LINK_INVALID'],
  cookies,
};

export const USE_UNLOCK: OperationOptions = {
  summary: 'End the lock by the form of the page',
  description: USES,
  errors: ['LINK_INVALID'],
};

export const OPEN_ADDRESS: OperationOptions = {
  summary: 'Page of a link that confirms a mail address',
  description: SHOWS,
  errors: ['LINK_INVALID'],
  cookies,
};

export const USE_ADDRESS: OperationOptions = {
  summary: 'Confirm a mail address by the form of the page',
  description: USES,
  errors: ['LINK_INVALID'],
};

export const OPEN_NOT_ME: OperationOptions = {
  summary: 'Page of a link to report what the user did not do',
  description: SHOWS,
  errors: ['LINK_INVALID'],
  cookies,
};

export const USE_NOT_ME: OperationOptions = {
  summary: 'Report what the user did not do by the form of the page',
  description: `${USES} Ends all sessions, removes the password and mails a link to choose another one, or removes an address that is newer than the notice.`,
  errors: ['LINK_INVALID'],
};
