import { lineOf } from '../../config/problem.js';
import { ImportFileRejection } from '../../identity/account/import/import-row.js';
import type { Reason } from '../../kernel/errors/reason.js';
import { ServiceError } from '../../kernel/errors/service-error.js';
import { SchemaFailure } from '../../platform/persistence/migrations/schema-failure.js';
import { SealFailure } from '../../platform/sealing/sealer.js';
import { EXIT, type ExitCode } from './exit-code.js';

/** Failure of a command; `lines` are printed before its message. */
export interface CommandFailure {
  readonly message: string;
  readonly lines?: readonly string[];
  /** `failed` unless set. */
  readonly exitCode?: ExitCode;
}

/** The failure of a command that names an unknown user, key or identity provider. */
export function notFound(message: string): CommandFailure {
  return { message, exitCode: EXIT.notFound };
}

const INVALID: Readonly<Record<string, string>> = {
  'id malformed': 'A login id has 1 to 255 characters, no control characters and no ":".',
  'person malformed': 'The name of the person has 1 to 512 characters and no control characters.',
  'pw malformed': 'The password is not valid Unicode text.',
  'pw too_short': 'The password is too short (app.security.password.min-length).',
  'pw too_long': 'The password is longer than 1024 bytes.',
  'pw too_common': 'The password is one of the most common passwords.',
  'pw repeated': 'The password repeats the same characters.',
  'pw sequence': 'The password is a sequence such as abc or 123.',
  'pw keyboard_pattern': 'The password follows the keys of the keyboard.',
  'pw date': 'The password is mostly a date or a year.',
  'pw personal': 'The password is built of the name of the user or of the service.',
  'pw like_common': 'The password is similar to a very common one.',
  'pw common_words': 'The password is a common word or name with little else.',
  'pw too_guessable': 'The password is easy to guess (app.security.password.min-score).',
  'pw breached': 'The password is known from data breaches.',
  'pw same_as_id': 'The password must differ from the login id.',
  'email required': 'The invitation is mailed: give an address with --email, or use --print-link.',
  'email malformed': 'The mail address is malformed.',
  'roles malformed': 'Role names look like ROLE_NAME (A-Z, 0-9, _); ROLE_PRE_MFA is reserved.',
};

const CONFLICTS: Readonly<Partial<Record<Reason, string>>> = {
  'login id taken': 'The login id is already taken.',
  'invited with other roles':
    'The user exists and has other roles: invite the user again without --roles, or change them with "users set-roles".',
  'not to be invited': 'Only an active user who never had a password can be invited; see users set-password.',
  'person known': 'This person already has a user.',
  'no password': 'Staff sign in at their identity provider and have no password here.',
  'last administrator': 'This is the last administrator.',
  'the file changed while it was read': 'Nothing was changed: the file changed while it was read.',
};

const DELAYS: Readonly<Partial<Record<Reason, string>>> = {
  'another import is in progress': 'Nothing was changed: another import is in progress; try again after its end.',
  'the import was interrupted':
    'The import was interrupted, and the service now completes it or undoes it. Import the file again in a minute: if all ' +
    'rows are taken, it was completed.',
};

/** Explains an error to the operator; rethrows a defect, whose text may contain secrets. */
export function failureOf(error: unknown): CommandFailure {
  if (error instanceof ServiceError) return rejectionOf(error);
  if (error instanceof ImportFileRejection) return { message: error.message };
  if (error instanceof SealFailure) return { message: `${error.message}.` };
  if (error instanceof SchemaFailure) return { message: lineOf(error.problem) };
  throw error;
}

function rejectionOf({ code, facts }: ServiceError): CommandFailure {
  switch (code) {
    case 'VALIDATION_FAILED': {
      const messages = (facts.errors ?? []).map((error) => INVALID[`${error.field} ${error.code}`] ?? error.code);
      return { message: messages.join('\n') };
    }
    case 'CONFLICT':
      return { message: (facts.reason && CONFLICTS[facts.reason]) ?? 'The command was rejected.' };
    case 'NOT_FOUND':
      return notFound('The user or the session does not exist any more.');
    case 'UNAVAILABLE':
      return {
        message: (facts.reason && DELAYS[facts.reason]) ?? 'The database cannot be reached or is busy; try again.',
      };
    default:
      return { message: `The command failed: ${code}.` };
  }
}
