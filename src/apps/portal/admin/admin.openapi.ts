import type { ErrorCode } from '../../../kernel/errors/error-code.js';
import type { OperationOptions } from '../../../platform/web/openapi/operation.js';

const FORM = 'Accepts the form of the page, with its token `csrf`.';
const REFUSED = ['CONFLICT', 'NOT_FOUND'] as const;

export const SHOW_OVERVIEW: OperationOptions = {
  redirects: true,
  summary: 'Page with the state of users, sign-ins and the service, for administrators and the help desk',
};

export const SHOW_USERS: OperationOptions = {
  redirects: true,
  summary: 'Page with the users, for administrators and the help desk',
  description: 'Redirects a user whose second factor is not recent to the page that proves it.',
};

export const SHOW_NEW_USER: OperationOptions = { redirects: true, summary: 'Page to create a user' };

export const CREATE_USER: OperationOptions = {
  redirects: true,
  summary: 'Create a user by the form of the page',
  description: `${FORM} Mails an invitation, or shows a temporary password, once.`,
  errors: ['CONFLICT'],
};

export const SHOW_USER: OperationOptions = {
  redirects: true,
  summary: 'Page about a user, for administrators and the help desk',
  errors: ['NOT_FOUND'],
};

/** Describes a form that acts on a user. */
export function actOperation(summary: string, errors: readonly ErrorCode[]): OperationOptions {
  return { summary: `${summary} by the form of the page`, description: FORM, errors: [...REFUSED, ...errors] };
}

export const SET_TEMPORARY: OperationOptions = {
  summary: 'Set a temporary password by the form of the page',
  description: `${FORM} Shows the password, once.`,
  errors: REFUSED,
};

export const ISSUE_ACCESS_CODE: OperationOptions = {
  summary: 'Issue a temporary access code by the form of the page',
  description: `${FORM} Shows the code, once.`,
  errors: [...REFUSED, 'MFA_STATE_CONFLICT'],
};

export const SHOW_ACCESS: OperationOptions = {
  redirects: true,
  summary: 'Page with the sessions and trusted browsers of a user',
  errors: ['NOT_FOUND'],
};

export const SHOW_ACTIVITY_OF_USER: OperationOptions = {
  redirects: true,
  summary: 'Page with the security events of a user',
  errors: ['NOT_FOUND'],
};

export const SHOW_ACT: OperationOptions = {
  redirects: true,
  summary: 'Page that asks for an act on a user, such as `unlock`',
  errors: ['NOT_FOUND'],
};

export const SHOW_EVENTS: OperationOptions = {
  redirects: true,
  summary: 'Page with the security events of all users',
};

export const SHOW_CLIENTS: OperationOptions = {
  redirects: true,
  summary: 'Page with the configured applications',
};

export const SHOW_IMPORT: OperationOptions = { redirects: true, summary: 'Page to import users from a file' };

export const IMPORT_BY_FORM: OperationOptions = {
  summary: 'Import users, or preview an import, by the form of the page',
  description: 'Shows a report for each row. The token `csrf` is a part of the body before the file.',
  errors: ['CONFLICT'],
};
