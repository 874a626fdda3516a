import type { ImportReport } from '../../../identity/account/import/import-row.js';
import type { Reason } from '../../../kernel/errors/reason.js';
import type { ServiceError } from '../../../kernel/errors/service-error.js';
import { EXIT, type ExitCode } from '../exit-code.js';

/** The failure of a command; `lines` are printed before it. */
export interface Complaint {
  readonly complaint: string;
  readonly lines?: readonly string[];
  /** `failed` unless set. */
  readonly exitCode?: ExitCode;
}

/** The failure of a command that names an unknown user, key or identity provider. */
export function noSuch(complaint: string): Complaint {
  return { complaint, exitCode: EXIT.notFound };
}

/** Maximum number of rows that are printed; the number of the others follows. */
const MOST_ROWS = 100;

const FAULTS: Readonly<Record<string, string>> = {
  'id malformed': 'A login id has 1 to 255 characters, no control characters and no ":".',
  'person malformed': 'The name of the person has 1 to 512 characters and no control characters.',
  'pw malformed': 'The password is not valid Unicode text.',
  'pw too_short': 'The password is too short (app.security.password.min-length).',
  'pw too_long': 'The password is longer than 1024 bytes.',
  'pw too_common': 'The password is one of the most common passwords.',
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

/** Explains a rejected command; the inner reason of an error is not shown, because it may contain secrets. */
export function complaintOf({ code, facts }: ServiceError): Complaint {
  switch (code) {
    case 'VALIDATION_FAILED': {
      const faults = (facts.errors ?? []).map((error) => FAULTS[`${error.field} ${error.code}`] ?? error.code);
      return { complaint: faults.join('\n') };
    }
    case 'CONFLICT':
      return { complaint: (facts.reason && CONFLICTS[facts.reason]) ?? 'The command was refused.' };
    case 'NOT_FOUND':
      return noSuch('The user or the session does not exist any more.');
    case 'UNAVAILABLE':
      return {
        complaint: (facts.reason && DELAYS[facts.reason]) ?? 'The database cannot be reached or is busy; try again.',
      };
    default:
      return { complaint: `The command failed: ${code}.` };
  }
}

/** The report of a preview, row by row. */
export function previewLines({ valid = 0, errors, errorsTotal }: ImportReport): readonly string[] | Complaint {
  const told = `The file has ${valid} ${valid === 1 ? 'user' : 'users'} that can be created. Nothing was changed.`;
  return errorsTotal === 0 ? [told] : { lines: rowLines(errors, errorsTotal), complaint: told };
}

function rowLines(errors: ImportReport['errors'], errorsTotal: number): readonly string[] {
  const lines = errors.slice(0, MOST_ROWS).map(({ line, field, code }) => `line ${line}: ${`${field} ${code}`.trim()}`);
  return errorsTotal > lines.length ? [...lines, `and ${errorsTotal - lines.length} more`] : lines;
}

/** The report of an import, row by row. */
export function importLines(
  { created, errors, errorsTotal }: ImportReport,
  isPartial: boolean,
): readonly string[] | Complaint {
  const made = `Created ${created} ${created === 1 ? 'user' : 'users'}.`;
  if (errorsTotal === 0) return [made];
  const lines = rowLines(errors, errorsTotal);
  const rest = isPartial ? 'The rows above were skipped.' : 'Nothing was changed: correct the file, or use --partial.';
  return { lines, complaint: `${made} ${rest}` };
}
